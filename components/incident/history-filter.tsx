import { useTranslator } from "#i18n";
import { Tabs } from "#components/ui/tabs.tsx";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";

type Props = {
  path: string;
  query: SearchParams;
  /** The kind shown; "all" for everything. */
  kind: TimelineEntryKind;
  /** Only the team sees notes and views. */
  team: boolean;
};

/** Selects the kind of timeline entries, as a query parameter named as in the API. */
export function TimelineKindTabs({ path, query, kind, team }: Props) {
  const t = useTranslator("ownReport");
  const items = listKindsFor(team).map((value) => ({
    label: t(`kind.${value}`),
    href: `${buildHrefWithQueryChanges(path, query, { kind: value === "all" ? null : value, page: null })}#timeline`,
    current: value === kind,
  }));
  return <Tabs label={t("timelineFilter")} items={items} />;
}

const HISTORY_KINDS = ["all", "messages", "notes", "changes", "files", "access"] as const;
export type TimelineEntryKind = (typeof HISTORY_KINDS)[number];

const TEAM_ONLY_KINDS: readonly TimelineEntryKind[] = ["notes", "access"];

const listKindsFor = (team: boolean) =>
  HISTORY_KINDS.filter((kind) => team || !TEAM_ONLY_KINDS.includes(kind));

/** Returns the kind that the URL asks for, if this person may see it, else "all". */
export const parseTimelineEntryKind = (wanted: SearchParams[string], team: boolean): TimelineEntryKind =>
  listKindsFor(team).find((kind) => kind === wanted) ?? "all";
