import type { z } from "zod";
import type { ReactNode } from "react";
import { useLocale, useTimeFormatOptions, useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { FAILED_TRIES_OF_FAILING_QUEUE, type SystemHealth } from "#lib/admin/schema.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import { formatDateTime } from "#lib/design/time.ts";

type HealthDetails = z.output<typeof SystemHealth>;

/** Health of each part of the installation: a status, and the details. */
export function HealthList({ health }: { health: HealthDetails }) {
  return (
    <ul className="divide-y divide-line">
      <DatabaseHealthPart database={health.database} />
      <StorageHealthPart storage={health.storage} />
      <EvidenceHealthPart evidence={health.evidence} />
      <MailHealthPart mail={health.mail} />
      <JobsHealthPart jobs={health.jobs} />
      <BackupHealthPart backup={health.backup} />
      <AuditHealthPart audit={health.audit} />
      <DiskHealthPart disk={health.disk} />
    </ul>
  );
}

function DatabaseHealthPart({ database }: Pick<HealthDetails, "database">) {
  const t = useTranslator("system");
  const locale = useLocale();
  return (
    <HealthPart name={t("database")} status={database.status}>
      <p>
        {t("databaseAbout", {
          version: database.version,
          milliseconds: database.milliseconds,
          size: formatFileSize(database.bytes, locale),
        })}
      </p>
      <p className="text-muted">
        {t("migrations", {
          count: database.migrations.applied,
          latest: (database.migrations.latest ?? "").replace(/^\d+_/, ""),
        })}
      </p>
      {database.migrations.unfinished > 0 && (
        <p className="text-danger">{t("migrationsUnfinished", { count: database.migrations.unfinished })}</p>
      )}
    </HealthPart>
  );
}

function StorageHealthPart({ storage }: Pick<HealthDetails, "storage">) {
  const t = useTranslator("system");
  const locale = useLocale();
  const times = useTimeFormatOptions();
  return (
    <HealthPart name={t("storage")} status={storage.status}>
      <p>
        {t(storage.kind === "s3" ? "storageS3" : "storageDisk", {
          count: storage.files,
          size: formatFileSize(storage.bytes, locale),
        })}
      </p>
      {storage.sweepRefusedAt !== null && (
        <p className="text-danger">
          {t("storageSweepRefused", { time: formatDateTime(new Date(storage.sweepRefusedAt), times) })}
        </p>
      )}
    </HealthPart>
  );
}

/** The state of evidence. Its problems are identified by ids, because operators may not read incidents. */
function EvidenceHealthPart({ evidence }: Pick<HealthDetails, "evidence">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  const { status, damaged, missing, unreadable, checkedAt, checkLate, checking } = evidence;
  return (
    <HealthPart name={t("evidence")} status={status === "failed" ? status : checkedAt ? "ok" : null}>
      {damaged > 0 && <p className="text-danger">{t("evidenceDamaged", { count: damaged })}</p>}
      {missing > 0 && <p className="text-danger">{t("evidenceMissing", { count: missing })}</p>}
      {unreadable > 0 && <p className="text-danger">{t("evidenceUnreadable", { count: unreadable })}</p>}
      <EvidenceProblems evidence={evidence} />
      {status === "ok" && checkedAt && <p>{t("evidenceWhole")}</p>}
      <p className="text-muted">
        {checkedAt
          ? t("evidenceChecked", { time: formatDateTime(new Date(checkedAt), times) })
          : t("evidenceUnchecked")}
      </p>
      {checkLate && <p className="text-danger">{t("evidenceLate")}</p>}
      {checking !== null && <p className="text-muted">{t("evidenceChecking", { count: checking })}</p>}
    </HealthPart>
  );
}

/** The faulty files, and what to do about them. */
function EvidenceProblems({ evidence }: Pick<HealthDetails, "evidence">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  const { damaged, missing, unreadable, problems } = evidence;
  const more = damaged + missing + unreadable - problems.length;
  if (problems.length === 0) return null;
  return (
    <>
      <ul className="my-2 grid gap-1 text-sm">
        {problems.map(({ fileId, incidentId, part, fault, foundAt }) => (
          <li key={`${fileId} ${part}`}>
            {t("evidenceProblem", {
              part,
              fault,
              file: fileId,
              incident: incidentId,
              time: formatDateTime(new Date(foundAt), times),
            })}
          </li>
        ))}
        {more > 0 && <li>{t("evidenceMore", { count: more })}</li>}
      </ul>
      {damaged + missing > 0 && <p>{t("evidenceDo")}</p>}
      {unreadable > 0 && <p>{t("evidenceUnreadableDo")}</p>}
    </>
  );
}

function MailHealthPart({ mail }: Pick<HealthDetails, "mail">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  const joinTexts = useCommaJoiner();
  const describeProblem = useQueueProblemFormatter();
  return (
    <HealthPart name={t("mail")} status={mailStatusOf(mail)}>
      <p>{t(mail.configured ? "mailServer" : "mailOutbox")}</p>
      {mail.status === "failed" && <p className="text-danger">{describeProblem(mail)}</p>}
      <p className="text-muted">
        {joinTexts([
          t("mailWaiting", { count: mail.waiting }),
          mail.oldestWaitingAt &&
            t("mailOldest", { time: formatDateTime(new Date(mail.oldestWaitingAt), times) }),
          mail.failed > 0 && t("mailFailed", { count: mail.failed }),
        ])}
      </p>
      {mail.undeliverable > 0 && (
        <p className="text-muted">{t("mailUndeliverable", { count: mail.undeliverable })}</p>
      )}
    </HealthPart>
  );
}

function JobsHealthPart({ jobs }: Pick<HealthDetails, "jobs">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  const describeProblem = useQueueProblemFormatter();
  const failing = jobs.queues.filter(({ queue, status }) => queue !== "mail" && status === "failed");
  return (
    <HealthPart name={t("jobs")} status={jobs.status}>
      <p>{t("jobsAbout", { workers: jobs.workers, waiting: jobs.waiting })}</p>
      {jobs.scheduleStopped && jobs.lastScheduledAt && (
        <p className="text-danger">
          {t("scheduleStopped", { time: formatDateTime(new Date(jobs.lastScheduledAt), times) })}
        </p>
      )}
      {failing.map((one) => (
        <p key={one.queue} className="text-danger">
          {t("queueFailing", { queue: one.queue, problem: describeProblem(one) })}
        </p>
      ))}
      {jobs.failed > 0 && <p className="text-danger">{t("jobsFailed", { count: jobs.failed })}</p>}
    </HealthPart>
  );
}

function useQueueProblemFormatter(): (
  queue: Pick<HealthDetails["mail"], "failedTries" | "failingSince" | "lag">,
) => string {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return ({ failedTries, failingSince, lag }) =>
    failedTries >= FAILED_TRIES_OF_FAILING_QUEUE && failingSince
      ? t("triesFailed", { count: failedTries, time: formatDateTime(new Date(failingSince), times) })
      : t("oldestWaits", { minutes: Math.floor(lag / 60) });
}

function BackupHealthPart({ backup }: Pick<HealthDetails, "backup">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return (
    <HealthPart name={t("backup")} status={backup.lastAt ? "ok" : "never"}>
      <p>
        {backup.lastAt
          ? t("backupAt", { time: formatDateTime(new Date(backup.lastAt), times) })
          : t("backupNever")}
      </p>
    </HealthPart>
  );
}

function AuditHealthPart({ audit }: Pick<HealthDetails, "audit">) {
  const t = useTranslator("system");
  const times = useTimeFormatOptions();
  return (
    <HealthPart name={t("auditLog")} status={audit.status}>
      <p>
        {audit.lastRecordedAt
          ? t("auditRecorded", { time: formatDateTime(new Date(audit.lastRecordedAt), times) })
          : t("auditNotRecorded")}
      </p>
      {audit.changedChains > 0 && (
        <p className="text-danger">{t("auditChanged", { count: audit.changedChains })}</p>
      )}
      <p className="text-muted">
        {audit.destination === null
          ? t("auditStaysHere")
          : audit.lastSentAt
            ? t("auditSent", { time: formatDateTime(new Date(audit.lastSentAt), times) })
            : t("auditNotSent")}
      </p>
    </HealthPart>
  );
}

function DiskHealthPart({ disk }: Pick<HealthDetails, "disk">) {
  const t = useTranslator("system");
  const locale = useLocale();
  return (
    <HealthPart name={t("disk")} status={disk?.status ?? null}>
      <p>
        {disk
          ? t("diskAbout", {
              free: formatFileSize(disk.freeBytes, locale),
              total: formatFileSize(disk.totalBytes, locale),
            })
          : t("diskUnknown")}
      </p>
    </HealthPart>
  );
}

/** Returns the status of mail: "failed" if it fails, even if it isn't set up either. */
const mailStatusOf = ({ status, configured }: HealthDetails["mail"]): PartStatus =>
  status === "ok" && !configured ? "notSetUp" : status;

/** Returns a function that names the parts that work, but that an operator has yet to set up. */
export function useMissingSetupFormatter(): (health: Pick<HealthDetails, "mail" | "backup">) => string[] {
  const t = useTranslator("system");
  return ({ mail, backup }) => [
    ...(mailStatusOf(mail) === "notSetUp" ? [t("mailNotSetUp")] : []),
    ...(backup.lastAt === null ? [t("backupNotSetUp")] : []),
  ];
}

type PartStatus = keyof typeof STATUS_TONES;

const STATUS_TONES = { ok: "positive", failed: "danger", notSetUp: "caution", never: "caution" } as const;

type PartProps = { name: string; /** Null if unknown. */ status: PartStatus | null; children: ReactNode };

function HealthPart({ name, status, children }: PartProps) {
  const t = useTranslator("system");
  return (
    <li className="grid gap-x-6 gap-y-1 py-3 first:pt-0 last:pb-0 sm:grid-cols-[8rem_8rem_minmax(0,1fr)]">
      <p className="font-[550]">{name}</p>
      <div>{status !== null && <Badge tone={STATUS_TONES[status]}>{t(status)}</Badge>}</div>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </li>
  );
}
