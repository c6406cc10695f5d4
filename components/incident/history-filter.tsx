import { useWords } from "#words";
import { Tabs } from "#components/ui/tabs.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";

type Props = {
  path: string;
  query: Query;
  /** Which kind is shown, "all" for everything. */
  kind: HistoryKind;
  /** Notes and looks are the team's to see. */
  team: boolean;
};

/** What the timeline shows, in the address bar under the name of the API. */
export function HistoryFilter({ path, query, kind, team }: Props) {
  const t = useWords("ownReport");
  const items = kindsFor(team).map((value) => ({
    label: t(`kind.${value}`),
    href: `${hrefWith(path, query, { kind: value === "all" ? null : value, page: null })}#timeline`,
    current: value === kind,
  }));
  return <Tabs label={t("timelineFilter")} items={items} />;
}

const KINDS = ["all", "messages", "notes", "changes", "files", "access"] as const;
export type HistoryKind = (typeof KINDS)[number];

const FOR_THE_TEAM: readonly HistoryKind[] = ["notes", "access"];

const kindsFor = (team: boolean) => KINDS.filter((kind) => team || !FOR_THE_TEAM.includes(kind));

/** The kind that an address asks for, as far as this person may see it. */
export const historyKind = (wanted: Query[string], team: boolean): HistoryKind =>
  kindsFor(team).find((kind) => kind === wanted) ?? "all";
