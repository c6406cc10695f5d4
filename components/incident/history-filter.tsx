import { Tabs } from "#components/ui/tabs.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";

type Props = {
  path: string;
  query: Query;
  /** Which kind is shown, "all" for everything. */
  kind: string;
  /** Notes are the team's. */
  team: boolean;
};

/** What the history shows, in the address bar under the name of the API. */
export function HistoryFilter({ path, query, kind, team }: Props) {
  const items = KINDS.filter(({ value }) => team || value !== "notes").map(({ value, label }) => ({
    label,
    href: `${hrefWith(path, query, { kind: value === "all" ? null : value, page: null })}#history`,
    current: value === kind,
  }));
  return <Tabs label="What the history shows" items={items} />;
}

/** The kind that an address asks for, as far as this person may see it. */
export function historyKind(wanted: Query[string], team: boolean): string {
  const known = KINDS.some(({ value }) => value === wanted) && (team || wanted !== "notes");
  return known && typeof wanted === "string" ? wanted : "all";
}

const KINDS = [
  { value: "all", label: "All" },
  { value: "messages", label: "Messages" },
  { value: "notes", label: "Notes" },
  { value: "changes", label: "Changes" },
  { value: "files", label: "Files" },
];
