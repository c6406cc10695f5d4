import { TextField } from "#components/ui/field.tsx";

/**
 * The positions, counted from 1, of the words that a reporter types to confirm that they have saved the receipt: an
 * early and a late one.
 */
export const CONFIRMATION_WORD_POSITIONS = [2, 6] as const;

/** The words of a receipt, in order. */
export function ReceiptWordList({ parts, label }: { parts: readonly string[]; label: string }) {
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

/**
 * Fields in which a reporter types two words of the receipt, to confirm that they have saved it.
 * @param label returns the label for the word at a position
 */
export function ReceiptConfirmationFields({ label }: { label: (place: number) => string }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {CONFIRMATION_WORD_POSITIONS.map((place) => (
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
