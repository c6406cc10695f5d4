import { TextField } from "#components/ui/field.tsx";
import { MAX_INVITE_NOTE_LENGTH, MAX_INVITE_USES } from "#lib/invites/schema.ts";

type Props = {
  labels: { uses: string; usesHint: string; note: string; noteHint: string };
  /** Default for how often the invite can be used; undefined for no limit. */
  uses?: number;
};

/** Usage limit and note of a new invite, for events and organizations alike. */
export function InviteUseLimitAndNoteFields({ labels, uses }: Props) {
  return (
    <>
      <TextField
        name="maxUses"
        type="number"
        label={labels.uses}
        hint={labels.usesHint}
        min={1}
        max={MAX_INVITE_USES}
        defaultValue={uses}
        inputMode="numeric"
      />
      <TextField
        name="note"
        label={labels.note}
        hint={labels.noteHint}
        maxLength={MAX_INVITE_NOTE_LENGTH}
        autoComplete="off"
      />
    </>
  );
}
