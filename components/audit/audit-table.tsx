import type { z } from "zod";
import { useTranslator } from "#i18n";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { AuditEntry } from "#lib/audit/schema.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { useActorNameFormatter } from "./actor-name.ts";
import { useAuditLabels } from "./audit-text.ts";

export type DisplayedAuditEntry = z.output<typeof AuditEntry>;

type Props = {
  path: string;
  query: SearchParams;
  entries: readonly DisplayedAuditEntry[];
  /** Returns the page of the object an entry is about; null if there is none. */
  linkTo?: ((entry: DisplayedAuditEntry) => string | null) | undefined;
};

/** Audit entries as sentences, each with its full record in a disclosure. */
export function AuditTable({ path, query, entries, linkTo }: Props) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const columns: TableColumn<DisplayedAuditEntry>[] = [
    { key: "at", header: t("when"), cell: ({ at }) => <Time value={at} show="exact" /> },
    {
      key: "actor",
      header: t("who"),
      cell: (entry) => <ActorCell entry={entry} path={path} query={query} />,
    },
    {
      key: "action",
      header: t("what"),
      rowHeader: true,
      cell: (entry) => <ActionCell entry={entry} href={linkTo?.(entry) ?? null} />,
    },
    { key: "right", header: t("right"), cell: ({ right }) => auditLabels.right(right) },
    { key: "details", header: t("details"), cell: (entry) => <EntryDetails entry={entry} /> },
  ];
  return <Table caption={t("caption")} columns={columns} rows={entries} rowKey={({ seq }) => String(seq)} />;
}

function ActorCell({
  entry: { actor },
  path,
  query,
}: {
  entry: DisplayedAuditEntry;
  path: string;
  query: SearchParams;
}) {
  const t = useTranslator("audit");
  const actorName = useActorNameFormatter();
  if (!actor)
    return (
      <span className="text-muted" title={t("nobodyAbout")}>
        {t("nobody")}
      </span>
    );
  const name = actor.name === null ? t("gone") : actorName(actor.name, actor.token);
  if (query.actor === actor.id) return <span className="wrap-anywhere">{name}</span>;
  return (
    <TextLink
      href={buildHrefWithQueryChanges(path, query, { actor: actor.id, page: null, before: null })}
      className="-my-2.5 inline-block py-2.5 wrap-anywhere"
      aria-label={t("onlyBy", { name })}
    >
      {name}
    </TextLink>
  );
}

function ActionCell({ entry, href }: { entry: DisplayedAuditEntry; href: string | null }) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const { role } = entry.data;
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <span>{auditLabels.action(entry.action)}</span>
      {typeof role === "string" && (
        <span className="font-normal text-muted">{auditLabels.roleName(role)}</span>
      )}
      {href && (
        <TextLink href={href} className="font-normal">
          {t("openIt")}
        </TextLink>
      )}
    </span>
  );
}

function EntryDetails({ entry }: { entry: DisplayedAuditEntry }) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const code = (text: string) => <code className="text-sm wrap-anywhere">{text}</code>;
  const data = Object.entries(entry.data);
  return (
    <Disclosure className="-my-2.5 min-w-0 text-start" summary={`${t("number")} ${entry.seq}`}>
      <DefinitionList
        layout="stacked"
        items={[
          { term: t("action"), value: code(entry.action) },
          { term: t("object"), value: auditLabels.kind(entry.objectType) },
          ...(entry.objectId ? [{ term: t("objectId"), value: code(entry.objectId) }] : []),
          { term: t("right"), value: code(entry.right) },
          ...(entry.requestId ? [{ term: t("request"), value: code(entry.requestId) }] : []),
          ...(data.length > 0 ? [{ term: t("data"), value: <EntryData data={data} /> }] : []),
        ]}
      />
    </Disclosure>
  );
}

function EntryData({ data }: { data: [string, unknown][] }) {
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
