import { useLocale, useTranslator } from "#i18n";
import { useAuditLabels } from "#components/audit/audit-text.ts";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SearchParams } from "#lib/design/query.ts";
import { getMessages, type MessageKey } from "#lib/i18n/catalogue.ts";

type Activity = {
  id: string;
  type: "report" | "comment" | "audit";
  action: string;
  title: string;
  incidentId: string | null;
  timestamp: string;
};

type Props = {
  slug: string;
  userId: string;
  query: SearchParams;
  did: { activities: readonly Activity[]; pagination: { page: number; totalPages: number } };
};

/** The activity of a person in the event, newest first. */
export function PersonActivityList({ slug, userId, query, did: { activities, pagination } }: Props) {
  const t = useTranslator("eventAdmin");
  const labelActivity = useActivityLabel();
  if (activities.length === 0)
    return <p className="px-4 pb-5 text-muted sm:px-6">{t("person.didNothing")}</p>;
  return (
    <div className="grid gap-3 pb-4">
      <ol className="divide-y divide-line">
        {activities.map((one) => (
          <li key={one.id} className="flex flex-wrap items-baseline gap-x-4 px-4 py-2 sm:px-6">
            <span className="min-w-0 grow basis-64 wrap-anywhere">
              {labelActivity(one)}
              {one.incidentId && (
                <>
                  {": "}
                  <TextLink
                    href={`/e/${slug}/i/${one.incidentId}`}
                    className="-my-2.5 inline-block py-2.5 wrap-anywhere"
                  >
                    <bdi>{one.title}</bdi>
                  </TextLink>
                </>
              )}
            </span>
            <span className="text-sm text-muted">
              <Time value={one.timestamp} show="exact" />
            </span>
          </li>
        ))}
      </ol>
      <PaginationNav
        path={`/e/${slug}/team/${userId}`}
        query={query}
        page={pagination.page}
        pages={pagination.totalPages}
        label={t("person.didPages")}
      />
    </div>
  );
}

/** Labels entries of the audit log as it does, and actions on an incident with the labels of its history. */
function useActivityLabel(): (one: Activity) => string {
  const t = useTranslator("eventAdmin");
  const audit = useAuditLabels();
  const locale = useLocale();
  const hasMessage = (key: string): key is MessageKey<"eventAdmin"> =>
    key in getMessages(locale, "eventAdmin");
  return ({ type, action }) => {
    if (type === "audit") return audit.action(action);
    const key = `did.${action}`;
    return hasMessage(key) ? t(key) : t("did.other");
  };
}
