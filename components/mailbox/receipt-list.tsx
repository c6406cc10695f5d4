import { TextField } from "#components/ui/field.tsx";

/** Which words a reporter types to show that they have saved the receipt: an early and a late one. */
export const CONFIRMATION_PLACES = [2, 6] as const;

/** The words of a receipt, in order. */
export function ReceiptList({ parts, label }: { parts: readonly string[]; label: string }) {
  return (
    <ol
      lang="en"
      dir="ltr"
      className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3"
      aria-label={label}
    >
      {parts.map((word, at) => (
        <li
          key={at}
          className="flex min-h-11 items-baseline gap-2 rounded-control border border-edge bg-surface px-3 py-2 text-lg"
        >
          <span className="text-sm text-muted tabular-nums" aria-hidden="true">
            {at + 1}
          </span>
          <span className="font-[650] wrap-anywhere">{word}</span>
        </li>
      ))}
    </ol>
  );
}

/** The fields for the words to type. @param label names the field of a place */
export function ReceiptWordFields({ label }: { label: (place: number) => string }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {CONFIRMATION_PLACES.map((place) => (
        <TextField
          key={place}
          name={`word${place}`}
          label={label(place)}
          markOptional={false}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
    </div>
  );
}
