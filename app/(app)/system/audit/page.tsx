import { useTranslator } from "#i18n";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { readAuditLogQueryFromPageUrl, buildAuditCsvHref } from "#components/audit/audit-query.ts";
import {
  ORGANIZATION_AUDIT_ACTION_GROUPS,
  SYSTEM_AUDIT_ACTION_GROUPS,
} from "#components/audit/audit-text.ts";
import { definePage } from "#components/shell/page.tsx";
import { SystemHeader } from "#components/system/system-header.tsx";
import { createSystemPageMetadataLoader } from "#components/system/system-metadata.ts";
import { Button } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { loadPageData } from "#lib/http/page.ts";
import { listSystemAudit, verifySystemAudit } from "#lib/audit-log/operations.ts";
import { type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";

export const generateMetadata = createSystemPageMetadataLoader("audit");

const PATH = "/system/audit";

/** The audit log of the system or of any organization, including deleted ones. */
export default definePage(async function SystemAudit({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const query = await searchParams;
  const chain = readSingleSearchParam(query, "chain");
  const list = await loadPageData(listSystemAudit, {}, readAuditLogQueryFromPageUrl(query, ["chain"]));
  const verdict = query.verify === undefined ? null : await loadPageData(verifySystemAudit, {}, { chain });
  return (
    <div className="grid gap-6">
      <SystemHeader current="audit" />
      <ChainForm chain={chain ?? "system"} />
      <AuditLog
        path={PATH}
        query={query}
        list={list}
        now={new Date()}
        groups={chain && chain !== "system" ? ORGANIZATION_AUDIT_ACTION_GROUPS : SYSTEM_AUDIT_ACTION_GROUPS}
        csv={buildAuditCsvHref("/api/admin/audit", query, ["chain"])}
        verdict={verdict}
        keep={{ chain }}
      />
    </div>
  );
});

/** Chooses the log to show: that of the system or of an organization. */
function ChainForm({ chain }: { chain: string }) {
  const t = useTranslator("system");
  return (
    <form method="get" action={PATH} className="flex flex-wrap items-end gap-3" aria-label={t("auditOf")}>
      <div className="min-w-0 grow sm:max-w-md">
        <TextField
          name="chain"
          label={t("auditOf")}
          hint={t("chainAbout")}
          defaultValue={chain}
          maxLength={36}
          autoComplete="off"
          spellCheck={false}
          markOptional={false}
        />
      </div>
      <Button type="submit">{t("open")}</Button>
    </form>
  );
}
