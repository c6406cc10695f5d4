import { useWords } from "#words";
import { AuditLog } from "#components/audit/audit-log.tsx";
import { auditQuery, csvHref } from "#components/audit/audit-query.ts";
import { OF_ORGANIZATION, OF_SYSTEM } from "#components/audit/audit-words.ts";
import { page } from "#components/shell/page.tsx";
import { SystemHead } from "#components/system/system-head.tsx";
import { systemTitle } from "#components/system/title.ts";
import { Button } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { show } from "#lib/http/page.ts";
import { listSystemAudit, verifySystemAudit } from "#lib/audit-log/operations.ts";
import { type Query, valueIn } from "#lib/design/query.ts";

export const generateMetadata = systemTitle("audit");

const PATH = "/system/audit";

/** The log of the system, or of any organization, also of one that was deleted. */
export default page(async function SystemAudit({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const chain = valueIn(query, "chain");
  const list = await show(listSystemAudit, {}, auditQuery(query, ["chain"]));
  const verdict = query.verify === undefined ? null : await show(verifySystemAudit, {}, { chain });
  const t = useWords("system");
  return (
    <div className="grid gap-6">
      <SystemHead current="audit" />
      <form method="get" action={PATH} className="flex flex-wrap items-end gap-3" aria-label={t("auditOf")}>
        <div className="min-w-0 grow sm:max-w-md">
          <TextField
            name="chain"
            label={t("auditOf")}
            hint={t("chainAbout")}
            defaultValue={chain ?? "system"}
            maxLength={36}
            autoComplete="off"
            spellCheck={false}
            markOptional={false}
          />
        </div>
        <Button type="submit">{t("open")}</Button>
      </form>
      <AuditLog
        path={PATH}
        query={query}
        list={list}
        now={new Date()}
        groups={chain && chain !== "system" ? OF_ORGANIZATION : OF_SYSTEM}
        csv={csvHref("/api/admin/audit", query, ["chain"])}
        verdict={verdict}
        keep={{ chain }}
      />
    </div>
  );
});
