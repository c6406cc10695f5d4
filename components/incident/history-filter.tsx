import { useTranslator } from "#words";
import { Tabs } from "#components/ui/tabs.tsx";
import { buildHref, type SearchParams } from "#lib/design/query.ts";

type Props = {
  path: string;
  query: SearchParams;
  /** Which kind is shown, "all" for everything. */
  kind: HistoryKind;
  /** Notes and looks are the team's to see. */
  team: boolean;
};

/** What the timeline shows, in the address bar under the name of the API. */
export function HistoryFilter({ path, query, kind, team }: Props) {
  const t = useTranslator("ownReport");
  const items = listKindsFor(team).map((value) => ({
    label: t(`kind.${value}`),
    href: `${buildHref(path, query, { kind: value === "all" ? null : value, page: null })}#timeline`,
    current: value === kind,
  }));
  return <Tabs label={t("timelineFilter")} items={items} />;
}

const HISTORY_KINDS = ["all", "messages", "notes", "changes", "files", "access"] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

const TEAM_ONLY_KINDS: readonly HistoryKind[] = ["notes", "access"];

const listKindsFor = (team: boolean) =>
  HISTORY_KINDS.filter((kind) => team || !TEAM_ONLY_KINDS.includes(kind));

/** The kind that an address asks for, as far as this person may see it. */
export const parseHistoryKind = (wanted: SearchParams[string], team: boolean): HistoryKind =>
  listKindsFor(team).find((kind) => kind === wanted) ?? "all";
