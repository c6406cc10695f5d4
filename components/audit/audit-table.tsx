import type { z } from "zod";
import { useWords } from "#words";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { AuditEntry } from "#lib/audit/schema.ts";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { useAuditWords } from "./audit-words.ts";

export type Entry = z.output<typeof AuditEntry>;

type Props = {
  path: string;
  query: Query;
  entries: readonly Entry[];
  /** The page of what an entry is about; null where there is none. */
  linkTo?: ((entry: Entry) => string | null) | undefined;
};

/** Entries of a log as sentences, each with all that was kept of it a press away. */
export function AuditTable({ path, query, entries, linkTo }: Props) {
  const t = useWords("audit");
  const words = useAuditWords();
  const columns: Column<Entry>[] = [
    { key: "at", header: t("when"), cell: ({ at }) => <Time value={at} show="exact" /> },
    { key: "actor", header: t("who"), cell: (entry) => <Actor entry={entry} path={path} query={query} /> },
    {
      key: "action",
      header: t("what"),
      rowHeader: true,
      cell: (entry) => <Deed entry={entry} href={linkTo?.(entry) ?? null} />,
    },
    { key: "right", header: t("right"), cell: ({ right }) => words.right(right) },
    { key: "details", header: t("details"), cell: (entry) => <Details entry={entry} /> },
  ];
  return <Table caption={t("caption")} columns={columns} rows={entries} rowKey={({ seq }) => String(seq)} />;
}

function Actor({ entry: { actor }, path, query }: { entry: Entry; path: string; query: Query }) {
  const t = useWords("audit");
  if (!actor)
    return (
      <span className="text-muted" title={t("nobodyAbout")}>
        {t("nobody")}
      </span>
    );
  const name = actor.name ?? t("gone");
  if (query.actor === actor.id) return <span className="wrap-anywhere">{name}</span>;
  return (
    <TextLink
      href={hrefWith(path, query, { actor: actor.id, page: null, before: null })}
      className="-my-2.5 inline-block py-2.5 wrap-anywhere"
      aria-label={t("onlyBy", { name })}
    >
      {name}
    </TextLink>
  );
}

function Deed({ entry, href }: { entry: Entry; href: string | null }) {
  const t = useWords("audit");
  const words = useAuditWords();
  const { role } = entry.data;
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <span>{words.action(entry.action)}</span>
      {typeof role === "string" && <span className="font-normal text-muted">{words.roleName(role)}</span>}
      {href && (
        <TextLink href={href} className="font-normal">
          {t("openIt")}
        </TextLink>
      )}
    </span>
  );
}

function Details({ entry }: { entry: Entry }) {
  const t = useWords("audit");
  const words = useAuditWords();
  const code = (text: string) => <code className="text-sm wrap-anywhere">{text}</code>;
  const data = Object.entries(entry.data);
  return (
    <Disclosure className="-my-2.5 min-w-0 text-start" summary={`${t("number")} ${entry.seq}`}>
      <DefinitionList
        layout="stacked"
        items={[
          { term: t("action"), value: code(entry.action) },
          { term: t("object"), value: words.kind(entry.objectType) },
          ...(entry.objectId ? [{ term: t("objectId"), value: code(entry.objectId) }] : []),
          { term: t("right"), value: code(entry.right) },
          ...(entry.requestId ? [{ term: t("request"), value: code(entry.requestId) }] : []),
          ...(data.length > 0 ? [{ term: t("data"), value: <Data data={data} /> }] : []),
        ]}
      />
    </Disclosure>
  );
}

function Data({ data }: { data: [string, unknown][] }) {
  return (
    <ul className="text-sm">
      {data.map(([name, value]) => (
        <li key={name}>
          <code className="wrap-anywhere">
            {name}: {typeof value === "string" ? value : JSON.stringify(value)}
          </code>
        </li>
      ))}
    </ul>
  );
}
