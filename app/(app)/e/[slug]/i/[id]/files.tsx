import { useLocale, useTranslator } from "#i18n";
import { AddFilesForm } from "#components/incident/add-files.tsx";
import { type EvidenceViewerFile, EvidencePreview } from "#components/incident/evidence-preview.tsx";
import { EvidenceViewer, EvidenceViewerLink } from "#components/incident/evidence-viewer.tsx";
import { getFileFamily } from "#components/incident/file-kinds.ts";
import { describeHiddenData } from "#components/incident/hidden-data-text.ts";
import { NativePostForm } from "#components/incident/post-form.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { isInLaterQuarterHour } from "#lib/design/time.ts";
import { createUploadFormUrlToken } from "#lib/http/form-drafts.ts";
import { formatFileSize } from "#lib/design/file-size.ts";
import { isFormSubmissionRejected } from "#lib/design/form-state.ts";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { MAX_ORIGINAL_ACCESS_REASON_LENGTH } from "#lib/evidence/schema.ts";
import { canReachReporter } from "#lib/incidents/lifecycle.ts";
import {
  MAX_FILE_DESCRIPTION_LENGTH,
  EVIDENCE_UPLOAD_LIMITS,
  type Incident,
  type RelatedFile,
} from "#lib/incidents/schema.ts";
import { deleteFileAction, setFileDescriptionAction, setFileVisibleToReporterAction } from "./actions.ts";
import { findReturnedFormState, type FormAccountBinding } from "./form-binding.ts";
import { AccountBoundForm } from "./ticketed-form.tsx";

/** The viewer's rights on files. */
type FileRights = {
  team: boolean;
  /** Whether they may add, describe, share and delete any. */
  mayChange: boolean;
  mayOpenOriginals: boolean;
  /** Ids of the files that the reporter added; the team may change any file. */
  own: readonly string[];
};

type FilesContext = {
  incident: Incident;
  rights: FileRights;
  writing: FormAccountBinding;
  /** Query parameters of the page; `preview` opens a file in place. */
  query: SearchParams;
  now: Date;
};

type Props = FilesContext & {
  /** Storage used by the event's files, in bytes, and its quota, for the team. */
  usage: { bytes: number; quota: number } | null;
};

/** The files of an incident, with the hidden data they contained and the actions on them. */
export function IncidentFiles({ usage, ...around }: Props) {
  const t = useTranslator("ownReport");
  const tIncident = useTranslator("incident");
  const { incident, rights, writing } = around;
  const files = incident.relatedFiles;
  const adding = findReturnedFormState("files", writing.returned);
  return (
    <Card title={tIncident("field.files")} id="files">
      <div className="grid gap-4">
        {files.length === 0 && <p className="text-muted">{t("noFiles")}</p>}
        {files.length > 0 && <FileList files={files} around={around} />}
        {rights.mayChange && (
          <Disclosure
            summary={t("addFiles")}
            open={adding !== null && isFormSubmissionRejected(adding)}
            className="no-print border-t border-line pt-2"
          >
            <AddFilesForm
              sendTo={`${buildIncidentPath(incident)}/files?upload=${createUploadFormUrlToken()}`}
              ticket={writing.ticket}
              returned={adding}
              limits={{ ...EVIDENCE_UPLOAD_LIMITS, description: MAX_FILE_DESCRIPTION_LENGTH }}
              mayShare={rights.team && canReachReporter(incident)}
            />
          </Disclosure>
        )}
        {usage && <QuotaUsage usage={usage} />}
      </div>
    </Card>
  );
}

function QuotaUsage({ usage }: { usage: { bytes: number; quota: number } }) {
  const t = useTranslator("incidentPage");
  const locale = useLocale();
  const sizes = { bytes: formatFileSize(usage.bytes, locale), quota: formatFileSize(usage.quota, locale) };
  return <p className="text-sm text-muted">{t("usage", sizes)}</p>;
}

/** Each file renders its own forms; hundreds of them would make the page slow to load. */
const FILES_PER_PAGE = 30;

function FileList({ files, around }: { files: readonly RelatedFile[]; around: FilesContext }) {
  const tIncident = useTranslator("incident");
  const t = useTranslator("ownReport");
  const { page, pages } = findFilePage(files, around.query);
  const shownFiles = files.slice((page - 1) * FILES_PER_PAGE, page * FILES_PER_PAGE);
  const evidence = shownFiles.map((file) => describeEvidence(file, around.incident));
  return (
    <>
      <EvidenceViewer files={evidence}>
        <ul aria-label={tIncident("files", { count: files.length })} className="divide-y divide-line">
          {shownFiles.map((file, at) => (
            <FileRow key={file.id} file={file} evidence={evidence[at]!} {...around} />
          ))}
        </ul>
      </EvidenceViewer>
      <PaginationNav
        path={buildIncidentPath(around.incident)}
        query={{ ...around.query, preview: undefined }}
        page={page}
        pages={pages}
        label={t("filePages")}
        name="files"
        anchor="files"
      />
    </>
  );
}

/** Describes a file for the viewer: where to download it, its size, and the hidden data it contained. */
function describeEvidence(file: RelatedFile, incident: Incident): EvidenceViewerFile {
  const t = useTranslator("ownReport");
  const locale = useLocale();
  const { id, filename, mimetype, description } = file;
  return {
    id,
    filename,
    mimetype,
    description,
    href: `${buildFilesApiPath(incident)}/${id}/download`,
    size: formatFileSize(file.size, locale),
    hiddenData: describeHiddenData(file, { t, locale }),
  };
}

/** Returns the page number that the URL asks for: that of the open file, else the one given. */
function findFilePage(files: readonly RelatedFile[], query: SearchParams): { page: number; pages: number } {
  const pages = Math.ceil(files.length / FILES_PER_PAGE);
  const opened = files.findIndex(({ id }) => id === query.preview);
  const requestedPage =
    opened < 0 ? Number(readSingleSearchParam(query, "files")) : Math.floor(opened / FILES_PER_PAGE) + 1;
  return { page: Number.isInteger(requestedPage) ? Math.min(Math.max(requestedPage, 1), pages) : 1, pages };
}

type RowProps = FilesContext & { file: RelatedFile; evidence: EvidenceViewerFile };

function FileRow({ file, evidence, ...around }: RowProps) {
  const t = useTranslator("ownReport");
  const { incident, query, now } = around;
  const open = query.preview === file.id;
  return (
    <li id={`file-${file.id}`} className="grid scroll-mt-40 gap-1.5 py-3 first:pt-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <a
          href={evidence.href}
          download={file.filename}
          className="text-link inline-flex min-h-11 min-w-0 items-center wrap-anywhere"
        >
          <bdi>{file.filename}</bdi>
        </a>
        <span className="text-sm text-muted">
          {t(`kind.${getFileFamily(file.mimetype)}`)} · {evidence.size} ·{" "}
          <Time value={file.createdAt} now={now} isRounded={file.fromUnnamedReporter ?? false} />
        </span>
        <span className="no-print ms-auto">
          <EvidenceViewerLink
            id={file.id}
            href={`${buildHrefWithQueryChanges(buildIncidentPath(incident), query, { preview: open ? null : file.id })}#file-${file.id}`}
            label={t("viewFile", { name: file.filename })}
          >
            <Icon as="eye" /> {t("view")}
          </EvidenceViewerLink>
        </span>
      </div>
      {open && <EvidencePreview file={evidence} />}
      {file.description && (
        <p dir="auto" className="max-w-[68ch] wrap-anywhere">
          {file.description}
        </p>
      )}
      <FileBadges file={file} {...around} />
      {evidence.hiddenData && <p className="max-w-[68ch] text-sm text-muted">{evidence.hiddenData}</p>}
      <FileActions file={file} {...around} />
    </li>
  );
}

type FileContext = FilesContext & { file: RelatedFile };

function FileBadges({ file, rights, incident }: FileContext) {
  const t = useTranslator("ownReport");
  const warning = WARNING_KEYS[file.clean];
  if (!warning && !rights.team) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {warning && <Badge tone="caution">{t(warning)}</Badge>}
      {rights.team && <TeamFileBadges file={file} incident={incident} />}
    </div>
  );
}

const WARNING_KEYS = {
  clean: null,
  cleaned: null,
  not_cleanable: "notCleanable",
  not_inspected: "notInspected",
} as const;

function TeamFileBadges({ file, incident }: Pick<FileContext, "file" | "incident">) {
  const t = useTranslator("incidentPage");
  return (
    <>
      {canReachReporter(incident) && (
        <Badge tone={file.visibleToReporter ? "public" : "internal"}>
          {t(file.visibleToReporter ? "reporterSees" : "teamOnly")}
        </Badge>
      )}
      <span className="text-sm text-muted wrap-anywhere">
        {file.uploadedBy ? t("addedBy", { name: file.uploadedBy.name }) : t(chooseUnnamedKey(file, incident))}
      </span>
    </>
  );
}

/**
 * A file of an anonymous report that is from a later quarter of an hour came from its mailbox. Within the same quarter,
 * its time doesn't tell whether it came with the report.
 */
function chooseUnnamedKey({ fromUnnamedReporter, createdAt }: RelatedFile, incident: Incident) {
  if (!fromUnnamedReporter) return "addedByUnknown";
  return isInLaterQuarterHour(createdAt, incident.createdAt) ? "addedByMailbox" : "addedByUnnamed";
}

/**
 * The team may change any file. Reporters describe their own files, and may remove them while the status is
 * Submitted.
 */
function FileActions({ file, incident, rights, writing }: FileContext) {
  const own = rights.own.includes(file.id);
  if (!rights.team && !own) return null;
  const hidden = { slug: incident.event.slug, incidentId: incident.id, fileId: file.id };
  const mayDelete = rights.mayChange && (rights.team || incident.state === "submitted");
  // The reporter's own files are always shared.
  const isFromReporter =
    file.fromUnnamedReporter ||
    (file.uploadedBy !== null && file.uploadedBy?.id === (incident.reporterId ?? undefined));
  const mayShare = rights.mayChange && rights.team && canReachReporter(incident) && !isFromReporter;
  const formProps = { file, hidden, writing };
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      {rights.mayChange && <DescriptionForm {...formProps} />}
      {mayShare && <ShareForm {...formProps} />}
      {mayDelete && <DeleteForm {...formProps} />}
      {rights.mayOpenOriginals && file.hasOriginal && (
        <OriginalForm file={file} incident={incident} writing={writing} />
      )}
    </div>
  );
}

type FormProps = {
  file: RelatedFile;
  hidden: Record<string, string>;
  writing: FormAccountBinding;
};

function DescriptionForm({ file, hidden, writing }: FormProps) {
  const t = useTranslator("ownReport");
  const name = file.filename;
  return (
    <AccountBoundForm
      writing={writing}
      form={`describe:${file.id}`}
      action={setFileDescriptionAction}
      of={hidden}
      label={t("describeFile", { name })}
      className="gap-4"
      dialog={{
        trigger: t(file.description ? "editDescription" : "describe"),
        title: t("whatFileShows", { name }),
        variant: "quiet",
      }}
    >
      <TextField
        name="description"
        label={t("description")}
        defaultValue={file.description ?? ""}
        maxLength={MAX_FILE_DESCRIPTION_LENGTH}
        count
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("saveDescription")}</SubmitButton>
      </FormActions>
    </AccountBoundForm>
  );
}

function ShareForm({ file, hidden, writing }: FormProps) {
  const t = useTranslator("incidentPage");
  const shared = file.visibleToReporter === true;
  return (
    <AccountBoundForm
      writing={writing}
      form={`share:${file.id}`}
      action={setFileVisibleToReporterAction}
      of={hidden}
      hidden={{ share: shared ? "no" : "yes" }}
      label={t("whoSees", { name: file.filename })}
      className="gap-4"
    >
      <SubmitButton variant="quiet" pendingLabel={t("saving")}>
        {t(shared ? "keepToTeam" : "share")}
      </SubmitButton>
    </AccountBoundForm>
  );
}

function DeleteForm({ file, hidden, writing }: FormProps) {
  const t = useTranslator("ownReport");
  const name = file.filename;
  return (
    <AccountBoundForm
      writing={writing}
      form={`deleteFile:${file.id}`}
      action={deleteFileAction}
      of={hidden}
      label={t("deleteNamed", { name })}
      className="gap-4"
      dialog={{ trigger: t("delete"), title: t("deleteNamedTitle", { name }), variant: "quiet" }}
    >
      <p>{t(file.hasOriginal ? "deleteFileAndOriginal" : "deleteFileAbout")}</p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("deleting")}>
          {t("deleteFile")}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </AccountBoundForm>
  );
}

type OriginalProps = { file: RelatedFile; incident: Incident; writing: FormAccountBinding };

/** Posts to a route instead of a server action, because the response is the file itself. */
function OriginalForm({ file, incident, writing }: OriginalProps) {
  const t = useTranslator("incidentPage");
  const returned = findReturnedFormState(`original:${file.id}`, writing.returned);
  return (
    <Disclosure summary={t("openOriginal")} open={returned !== null} className="ps-4">
      <div className="grid max-w-[60ch] gap-3">
        <p>{t("originalAbout")}</p>
        <NativePostForm
          action={`${buildIncidentPath(incident)}/original`}
          label={t("originalOf", { name: file.filename })}
          hidden={{ fileId: file.id, ticket: writing.ticket }}
          returned={returned}
        >
          <TextField
            name="reason"
            label={t("originalWhy")}
            maxLength={MAX_ORIGINAL_ACCESS_REASON_LENGTH}
            required
            count
            autoComplete="off"
          />
          <div>
            <Button type="submit">{t("originalDownload")}</Button>
          </div>
        </NativePostForm>
      </div>
    </Disclosure>
  );
}

const buildIncidentPath = ({ event, id }: Incident) => `/e/${event.slug}/i/${id}`;
const buildFilesApiPath = ({ event, id }: Incident) =>
  `/api/events/slug/${event.slug}/incidents/${id}/related-files`;
