import { Gauge, Registry } from "prom-client";
import { equalsInConstantTime } from "#lib/crypto/constant-time.ts";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { env } from "#lib/env.ts";
import { createNotFoundError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { collectClusterMetrics } from "#lib/observability/cluster-metrics.ts";

type ScrapeResult = { text: string; type: string };

/**
 * Returns all metrics in the Prometheus text format: what the processes have counted and the current state of the
 * installation. While the database doesn't respond, `heed_database_up` is 0 and what only the database knows is left
 * out.
 * @param authorization the value of the Authorization header
 * @throws AppError NOT_FOUND where METRICS_TOKEN isn't set, UNAUTHENTICATED with another token
 */
export async function renderMetricsForScrape(authorization: string | null): Promise<ScrapeResult> {
  const token = env().METRICS_TOKEN;
  if (!token) throw createNotFoundError();
  if (!equalsInConstantTime(authorization ?? "", `Bearer ${token}`)) throw createUnauthenticatedError();
  const [processMetrics, installationMetrics] = await Promise.all([
    collectClusterMetrics(),
    renderInstallationMetrics(),
  ]);
  return { text: `${processMetrics}\n${installationMetrics}`, type: Registry.PROMETHEUS_CONTENT_TYPE };
}

async function renderInstallationMetrics(): Promise<string> {
  const health = await loadSystemHealth([]).catch(() => undefined);
  const registry = new Registry();
  const addGauge: AddGauge = (name, help, value) =>
    new Gauge({ name, help, registers: [registry] }).set(value);
  addGauge("heed_database_up", "1 while the database answers.", health ? 1 : 0);
  if (!health) return registry.metrics();
  addMailGauges(addGauge, health.mail);
  addJobGauges(addGauge, health.jobs, registry);
  addGauge(
    "heed_file_sweep_refused",
    "1 while the nightly sweep keeps files without a row, since the database may be the wrong one.",
    health.storage.sweepRefusedAt ? 1 : 0,
  );
  if (health.disk)
    addGauge(
      "heed_storage_free_bytes",
      "Free bytes of the volume of the data folder.",
      health.disk.freeBytes,
    );
  addEvidenceGauges(addGauge, health.evidence);
  addGauge(
    "heed_last_backup_timestamp_seconds",
    "When the last whole backup was taken; 0: never.",
    toEpochSeconds(health.backup.lastAt),
  );
  addAuditGauges(addGauge, health.audit);
  return registry.metrics();
}

type AddGauge = (name: string, help: string, value: number) => void;
type Health = Awaited<ReturnType<typeof loadSystemHealth>>;

function addMailGauges(addGauge: AddGauge, mail: Health["mail"]): void {
  addGauge("heed_mail_waiting", "Mails that wait to be sent.", mail.waiting);
  addGauge(
    "heed_mail_oldest_seconds",
    "How long the oldest waiting mail has waited, tried or not.",
    mail.lag,
  );
  addGauge(
    "heed_mail_failed_tries",
    "Tries to send a mail that failed in a row, one recipient's refusals counted once; 0 after one that worked.",
    mail.failedTries,
  );
  addGauge("heed_mail_failed", "Mails that were given up.", mail.failed);
  addGauge(
    "heed_mail_undeliverable",
    "Mails of the last 30 days that the mail server refused for good.",
    mail.undeliverable,
  );
}

function addJobGauges(addGauge: AddGauge, jobs: Health["jobs"], registry: Registry): void {
  addGauge("heed_jobs_waiting", "Jobs that are due.", jobs.waiting);
  addGauge("heed_jobs_failed", "Jobs that were given up.", jobs.failed);
  const lags = new Gauge({
    name: "heed_jobs_oldest_seconds",
    help: "How long the oldest waiting job of each queue has waited, tried or not.",
    labelNames: ["queue"],
    registers: [registry],
  });
  for (const { queue, lag } of jobs.queues) lags.set({ queue }, lag);
  addGauge(
    "heed_schedule_timestamp_seconds",
    "When the schedule last queued a job; 0: never.",
    toEpochSeconds(jobs.lastScheduledAt),
  );
  addGauge("heed_workers", "Processes that work on jobs.", jobs.workers);
}

function addEvidenceGauges(addGauge: AddGauge, evidence: Health["evidence"]): void {
  addGauge(
    "heed_evidence_damaged",
    "Stored evidence files that are not what was uploaded.",
    evidence.damaged,
  );
  addGauge(
    "heed_evidence_missing",
    "Evidence files that a row names and the storage lacks.",
    evidence.missing,
  );
  addGauge(
    "heed_evidence_unreadable",
    "Evidence files that the storage doesn't let the service read.",
    evidence.unreadable,
  );
  addGauge(
    "heed_evidence_checked_timestamp_seconds",
    "When all evidence was last checked; 0: never.",
    toEpochSeconds(evidence.checkedAt),
  );
  addGauge(
    "heed_evidence_check_late",
    "1 when no check of all evidence has completed for three days, or since the first start.",
    evidence.checkLate ? 1 : 0,
  );
}

function addAuditGauges(addGauge: AddGauge, audit: Health["audit"]): void {
  addGauge(
    "heed_audit_heads_timestamp_seconds",
    "When the heads of the audit log were last recorded in the data folder; 0: never.",
    toEpochSeconds(audit.lastRecordedAt),
  );
  addGauge(
    "heed_audit_changed_chains",
    "Chains of the audit log that no longer have the entry that was their head.",
    audit.changedChains,
  );
}

const toEpochSeconds = (time: Date | null): number => (time ? time.getTime() / 1000 : 0);
