import type { RunnableJumpCommand } from "#components/jump/commands.ts";
import type { Translator } from "#components/i18n/translator.ts";
import type { BulkActionDialogState } from "./bulk-action-dialog.tsx";
import type { BulkAction } from "./bulk-actions.ts";
import { type InboxContextValue, listActionTargetRows } from "./inbox-state.tsx";
import type { InboxRowData } from "./row-data.ts";
import type { useTriageVocabulary } from "./vocabulary.ts";

type RowCommandContext = {
  inbox: InboxContextValue;
  perform: (action: BulkAction, rows: readonly InboxRowData[]) => void;
  choose: (mode: BulkActionDialogState["mode"], rows?: readonly InboxRowData[]) => void;
  vocabulary: ReturnType<typeof useTriageVocabulary>;
  t: Translator<"inboxClient">;
};

/** Lists the commands of the quick jump for the checked rows, or for the row that has the focus when it opens. */
export function listRowActionJumpCommands({
  inbox,
  perform,
  choose,
  vocabulary,
  t,
}: RowCommandContext): RunnableJumpCommand[] {
  const rows = listActionTargetRows(inbox);
  const [first] = rows;
  if (!first) return [];
  const about = rows.length === 1 ? first.title : t("selected", { count: rows.length });
  const act = (label: string, action: BulkAction) => ({ label, about, run: () => perform(action, rows) });
  return [
    act(t("keys.assignMe"), { do: "assign", to: "me" }),
    act(t("keys.acknowledge"), { do: "acknowledge" }),
    { label: t("keys.assign"), about, run: () => choose("assign", rows) },
    { label: t("keys.state"), about, run: () => choose("state", rows) },
    ...vocabulary.severities.map(({ value, label }) =>
      act(t("setSeverity", { severity: label }), { do: "severity", severity: value }),
    ),
    act(t("keys.pin"), { do: "pin" }),
    act(t("keys.unread"), { do: "unread" }),
  ];
}
