import type { z } from "zod";
import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
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
  /** Returns the name of the event of an entry, in a log of several events. */
  eventNameOf?: ((entry: DisplayedAuditEntry) => string | null) | undefined;
};

/** Audit entries as sentences, each with its full record in a disclosure. */
export function AuditTable({ path, query, entries, linkTo, eventNameOf }: Props) {
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
      cell: (entry) => (
        <ActionCell entry={entry} href={linkTo?.(entry) ?? null} place={eventNameOf?.(entry) ?? null} />
      ),
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
  const isOnlyActor = query.actor === actor.id;
  return (
    <>
      {isOnlyActor ? (
        <span className="wrap-anywhere">{name}</span>
      ) : (
        <TextLink
          href={buildHrefWithQueryChanges(path, query, { actor: actor.id, page: null, before: null })}
          className="-my-2.5 inline-block py-2.5 wrap-anywhere"
          aria-label={t("onlyBy", { name })}
        >
          {name}
        </TextLink>
      )}
      {actor.unconfirmed && <UnconfirmedBadge />}
    </>
  );
}

function UnconfirmedBadge() {
  const t = useTranslator("incident");
  return (
    <>
      {" "}
      <Badge tone="caution">{t("reporterUnconfirmed")}</Badge>
    </>
  );
}

function ActionCell({
  entry,
  href,
  place,
}: {
  entry: DisplayedAuditEntry;
  href: string | null;
  place: string | null;
}) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const { role } = entry.data;
  const incidentId = findAuditedIncidentId(entry);
  const where = incidentId && `${auditLabels.kind("incident")} ${incidentId.slice(0, 8)}`;
  return (
    <span className="inline-flex min-w-0 flex-wrap items-baseline gap-x-2">
      <span className="wrap-anywhere">{auditLabels.entry(entry)}</span>
      {typeof role === "string" && (
        <span className="font-normal text-muted">{auditLabels.roleName(role)}</span>
      )}
      {href ? (
        <TextLink href={href} className="font-normal">
          {where ?? t("openIt")}
        </TextLink>
      ) : (
        where && <span className="font-normal text-muted">{where}</span>
      )}
      {place !== null && (
        <span dir="auto" className="font-normal wrap-anywhere text-muted">
          {place}
        </span>
      )}
    </span>
  );
}

/** Returns the incident that an entry is about, also after it was deleted. */
function findAuditedIncidentId({
  incidentId,
  objectType,
  objectId,
  data,
}: DisplayedAuditEntry): string | null {
  if (objectType === "incident") return objectId;
  return incidentId ?? (typeof data.incidentId === "string" ? data.incidentId : null);
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
