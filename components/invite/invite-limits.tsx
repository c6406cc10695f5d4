import { TextField } from "#components/ui/field.tsx";
import { MAX_INVITE_NOTE_LENGTH, MAX_INVITE_USES } from "#lib/invites/schema.ts";

type Props = {
  words: { uses: string; usesHint: string; note: string; noteHint: string };
  /** How often it can be used unless somebody says otherwise; undefined: without an end. */
  uses?: number;
};

/** How often a new invite can be used, and what its makers note of it: of an event and of an organization alike. */
export function InviteLimitFields({ words, uses }: Props) {
  return (
    <>
      <TextField
        name="maxUses"
        type="number"
        label={words.uses}
        hint={words.usesHint}
        min={1}
        max={MAX_INVITE_USES}
        defaultValue={uses}
        inputMode="numeric"
      />
      <TextField
        name="note"
        label={words.note}
        hint={words.noteHint}
        maxLength={MAX_INVITE_NOTE_LENGTH}
        autoComplete="off"
      />
    </>
  );
}
