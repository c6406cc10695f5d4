type Props = { label: string; value: number; max?: number };

/** Progress, as text and as a bar. */
export function ProgressBar({ label, value, max = 100 }: Props) {
  return (
    <label className="grid gap-1.5 text-sm">
      <span className="flex justify-between gap-4">
        <span>{label}</span>
        <span className="text-muted tabular-nums">{Math.round((value / max) * 100)} %</span>
      </span>
      <progress className="progress" value={value} max={max} />
    </label>
  );
}
