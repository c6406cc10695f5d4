import { escapeFormula, formatCsvLines } from "#lib/design/csv.ts";
import { createSpreadsheetCsv } from "#lib/design/spreadsheet-csv.ts";
import type { TimeFormatOptions } from "#lib/design/time.ts";
import { createTranslatorForLocale } from "#lib/i18n/catalogue.ts";
import { createAuditLabels } from "#lib/audit/labels.ts";
import { createDownloadResponse, createTextStream } from "#lib/operation/exports.ts";
import {
  resolveAuditFilterToSeqsAndActions,
  listAuditEntriesBefore,
  readHeadAndHiddenIncidents,
  refreshHiddenIncidents,
  type AuditFilter,
  type AuditLogReadScope,
} from "#lib/audit/queries.ts";
import type { AuditEntryRecord } from "#lib/audit/schema.ts";

/** Columns of the CSV export, in order. */
export const AUDIT_CSV_COLUMNS = [
  "seq",
  "at",
  "actorId",
  "actor",
  "action",
  "objectType",
  "objectId",
  "eventId",
  "right",
  "requestId",
  "data",
] as const;

const BATCH_SIZE = 1000;

/** `hashes` adds a column with the hash of each entry. */
type ExportableLog = AuditLogReadScope & { hashes?: boolean };
type ExportedEntry = AuditEntryRecord & { hash?: string };

/**
 * Exports every entry of a log that matches the filter, newest first, as RFC 4180 CSV, read in batches.
 * @param readable the language and zone of a file for people; without it, the file is for programs
 */
export const createAuditCsvResponse = async (
  log: ExportableLog,
  filter: AuditFilter,
  readable?: TimeFormatOptions,
): Promise<Response> =>
  createDownloadResponse(
    "heed-audit.csv",
    "text/csv; charset=utf-8",
    await createTextStream(generateCsv(log, filter, createAuditCsvFormat(log, readable))),
  );

async function* generateCsv(
  log: ExportableLog,
  filter: AuditFilter,
  { header, formatEntries }: AuditCsvFormat,
): AsyncGenerator<string, void> {
  const resolvedFilter = await resolveAuditFilterToSeqsAndActions(log, filter);
  const { head, log: begun } = await readHeadAndHiddenIncidents(log);
  let rows = await listAuditEntriesBefore(begun, resolvedFilter, { before: head + 1, limit: BATCH_SIZE });
  yield header + formatEntries(rows);
  while (rows.length === BATCH_SIZE) {
    rows = await listAuditEntriesBefore(await refreshHiddenIncidents(begun), resolvedFilter, {
      before: rows.at(-1)?.seq ?? 1,
      limit: BATCH_SIZE,
    });
    yield formatEntries(rows);
  }
}

type AuditCsvFormat = { header: string; formatEntries: (entries: readonly ExportedEntry[]) => string };

/**
 * Creates the header and the lines of an export. User-written text is escaped so that spreadsheets don't run it as a
 * formula. `readable` puts headings, actions and rights into words, and times into one zone.
 */
export function createAuditCsvFormat(
  { hashes }: Pick<ExportableLog, "hashes">,
  readable?: TimeFormatOptions,
): AuditCsvFormat {
  const { header, toCells } = readable ? createReadableFormat(readable) : PROGRAM_FORMAT;
  const { formatHeader, formatLines } = readable ? createSpreadsheetCsv(readable) : PLAIN_CSV;
  return {
    header: formatHeader(hashes ? [...header, "hash"] : header),
    formatEntries: (entries) =>
      formatLines(entries.map((entry) => [...toCells(entry), ...(hashes ? [entry.hash ?? ""] : [])])),
  };
}

const PLAIN_CSV = {
  formatHeader: (headings: readonly string[]) => formatCsvLines([[...headings]]),
  formatLines: (lines: readonly string[][]) => (lines.length === 0 ? "" : formatCsvLines(lines)),
};

type Columns = { header: readonly string[]; toCells: (entry: ExportedEntry) => string[] };

const PROGRAM_FORMAT: Columns = {
  header: AUDIT_CSV_COLUMNS,
  toCells: (entry) => [
    String(entry.seq),
    entry.at.toISOString(),
    entry.actor?.id ?? "",
    escapeFormula(entry.actor?.name ?? ""),
    entry.action,
    entry.objectType,
    entry.objectId ?? "",
    entry.eventId ?? "",
    entry.right,
    escapeFormula(entry.requestId ?? ""),
    escapeFormula(JSON.stringify(entry.data)),
  ],
};

function createReadableFormat(format: TimeFormatOptions): Columns {
  const t = createTranslatorForLocale(format.locale, "audit");
  const labels = createAuditLabels(format.locale);
  const incident = createTranslatorForLocale(format.locale, "incident");
  const csv = createSpreadsheetCsv(format);
  const nameActor = ({ name, unconfirmed }: NonNullable<ExportedEntry["actor"]>) =>
    [name ?? t("gone"), ...(unconfirmed ? [incident("reporterUnconfirmed")] : [])].join(" · ");
  return {
    header: [
      csv.formatTimeHeading(t("when")),
      ...(["who", "what", "object", "right", "data", "objectId", "request", "number"] as const).map((name) =>
        t(name),
      ),
    ],
    toCells: ({ at, actor, action, objectType, right, data, objectId, requestId, seq }) => [
      csv.formatTime(at),
      escapeFormula(actor ? nameActor(actor) : t("nobody")),
      labels.entry({ action, data }),
      labels.kind(objectType),
      labels.right(right),
      escapeFormula(JSON.stringify(data)),
      objectId ?? "",
      escapeFormula(requestId ?? ""),
      String(seq),
    ],
  };
}
