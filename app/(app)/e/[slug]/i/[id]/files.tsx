import { Eye } from "lucide-react";
import { useLocale, useWords } from "#words";
import { AddFiles } from "#components/incident/add-files.tsx";
import { type Evidence, EvidenceFace } from "#components/incident/evidence-face.tsx";
import { EvidenceViewer, LookLink } from "#components/incident/evidence-viewer.tsx";
import { familyOf } from "#components/incident/file-kinds.ts";
import { hiddenData } from "#components/incident/file-words.ts";
import { PostForm } from "#components/incident/post-form.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextField } from "#components/ui/field.tsx";
import { FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { createUploadToken } from "#lib/http/form-drafts.ts";
import { fileSize } from "#lib/design/file-size.ts";
import { refused } from "#lib/design/form-state.ts";
import { hrefWith, type Query, valueIn } from "#lib/design/query.ts";
import { REASON_MAX } from "#lib/evidence/schema.ts";
import { FILE_DESCRIPTION_MAX, FILES, type Incident, type RelatedFile } from "#lib/incidents/schema.ts";
import { deleteFileAction, describeFileAction, shareFileAction } from "./actions.ts";
import { OwnForm, returnedTo, type Writing } from "./own-form.tsx";

/** What the viewer may do with files. */
type FileRights = {
  team: boolean;
  mayOpenOriginals: boolean;
  /** Ids of the files that a reporter added; the team may change any. */
  own: readonly string[];
};

type Around = {
  incident: Incident;
  rights: FileRights;
  writing: Writing;
  /** The address of the page; `look` in it opens a file in place. */
  query: Query;
  now: Date;
};

type Props = Around & {
  /** How much room the event's files take, for the team. */
  usage: { bytes: number; quota: number } | null;
};

/** The files of a report: what they are, what they gave away, and what can be done with them. */
export function Files({ usage, ...around }: Props) {
  const t = useWords("ownReport");
  const words = useWords("incident");
  const { incident, rights, writing } = around;
  const files = incident.relatedFiles;
  const adding = returnedTo("files", writing.returned);
  return (
    <Card title={words("field.files")} id="files">
      <div className="grid gap-4">
        {files.length === 0 && <p className="text-muted">{t("noFiles")}</p>}
        {files.length > 0 && <FileList files={files} around={around} />}
        <Disclosure
          summary={t("addFiles")}
          open={adding !== null && refused(adding)}
          className="no-print border-t border-line pt-2"
        >
          <AddFiles
            sendTo={`${pageOf(incident)}/files?upload=${createUploadToken()}`}
            ticket={writing.ticket}
            api={apiOf(incident)}
            returned={adding}
            limits={{ ...FILES, description: FILE_DESCRIPTION_MAX }}
            mayShare={rights.team && incident.reporterId !== null}
          />
        </Disclosure>
        {usage && <Usage usage={usage} />}
      </div>
    </Card>
  );
}

function Usage({ usage }: { usage: { bytes: number; quota: number } }) {
  const t = useWords("case");
  const locale = useLocale();
  const sizes = { bytes: fileSize(usage.bytes, locale), quota: fileSize(usage.quota, locale) };
  return <p className="text-sm text-muted">{t("usage", sizes)}</p>;
}

/** Each file comes with forms of its own: with some hundreds of them everybody would wait for the page. */
const FILES_PER_PAGE = 30;

function FileList({ files, around }: { files: readonly RelatedFile[]; around: Around }) {
  const words = useWords("incident");
  const t = useWords("ownReport");
  const locale = useLocale();
  const { page, pages } = pageOfFiles(files, around.query);
  const shown = files.slice((page - 1) * FILES_PER_PAGE, page * FILES_PER_PAGE);
  const evidence = shown.map((file): Evidence => {
    const { id, filename, mimetype, description } = file;
    const href = `${apiOf(around.incident)}/${id}/download`;
    const told = hiddenData(file, { t, locale });
    return { id, filename, mimetype, description, href, size: fileSize(file.size, locale), told };
  });
  return (
    <>
      <EvidenceViewer files={evidence}>
        <ul aria-label={words("files", { count: files.length })} className="divide-y divide-line">
          {shown.map((file, at) => (
            <FileRow key={file.id} file={file} evidence={evidence[at]!} {...around} />
          ))}
        </ul>
      </EvidenceViewer>
      <Pagination
        path={pageOf(around.incident)}
        query={{ ...around.query, look: undefined }}
        page={page}
        pages={pages}
        label={t("filePages")}
        name="files"
        anchor="files"
      />
    </>
  );
}

/** The page that the address asks for: that of the file it opens, or the one it names. */
function pageOfFiles(files: readonly RelatedFile[], query: Query): { page: number; pages: number } {
  const pages = Math.ceil(files.length / FILES_PER_PAGE);
  const opened = files.findIndex(({ id }) => id === query.look);
  const wanted = opened < 0 ? Number(valueIn(query, "files")) : Math.floor(opened / FILES_PER_PAGE) + 1;
  return { page: Number.isInteger(wanted) ? Math.min(Math.max(wanted, 1), pages) : 1, pages };
}

type RowProps = Around & { file: RelatedFile; evidence: Evidence };

function FileRow({ file, evidence, ...around }: RowProps) {
  const t = useWords("ownReport");
  const { incident, query, now } = around;
  const open = query.look === file.id;
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
          {t(`kind.${familyOf(file.mimetype)}`)} · {evidence.size} · <Time value={file.createdAt} now={now} />
        </span>
        <span className="no-print ms-auto">
          <LookLink
            id={file.id}
            href={`${hrefWith(pageOf(incident), query, { look: open ? null : file.id })}#file-${file.id}`}
            label={t("lookAt", { name: file.filename })}
          >
            <Icon as={Eye} /> {t("look")}
          </LookLink>
        </span>
      </div>
      {open && <EvidenceFace file={evidence} />}
      {file.description && (
        <p dir="auto" className="max-w-[68ch] wrap-anywhere">
          {file.description}
        </p>
      )}
      <Marks file={file} {...around} />
      {evidence.told && <p className="max-w-[68ch] text-sm text-muted">{evidence.told}</p>}
      <FileActions file={file} {...around} />
    </li>
  );
}

type OnFile = Around & { file: RelatedFile };

function Marks({ file, rights, incident }: OnFile) {
  const t = useWords("ownReport");
  const warning = WARNINGS[file.clean];
  if (!warning && !rights.team) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {warning && <Badge tone="caution">{t(warning)}</Badge>}
      {rights.team && <TeamMarks file={file} anonymous={incident.reporterId === null} />}
    </div>
  );
}

const WARNINGS = {
  clean: null,
  cleaned: null,
  not_cleanable: "notCleanable",
  not_inspected: "notInspected",
} as const;

function TeamMarks({ file, anonymous }: { file: RelatedFile; anonymous: boolean }) {
  const t = useWords("case");
  return (
    <>
      {!anonymous && (
        <Badge tone={file.visibleToReporter ? "public" : "internal"}>
          {t(file.visibleToReporter ? "reporterSees" : "teamOnly")}
        </Badge>
      )}
      <span className="text-sm text-muted wrap-anywhere">
        {file.uploadedBy ? t("addedBy", { name: file.uploadedBy.name }) : t("addedByUnknown")}
      </span>
    </>
  );
}

/** The team changes any file. A reporter describes own ones, and takes them back until somebody answers. */
function FileActions({ file, incident, rights, writing }: OnFile) {
  const own = rights.own.includes(file.id);
  if (!rights.team && !own) return null;
  const hidden = { slug: incident.event.slug, incidentId: incident.id, fileId: file.id };
  const mayDelete = rights.team || incident.state === "submitted";
  const mayShare = rights.team && incident.reporterId !== null && file.uploadedBy?.id !== incident.reporterId;
  const given = { file, hidden, writing };
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      <DescriptionForm {...given} />
      {mayShare && <ShareForm {...given} />}
      {mayDelete && <DeleteForm {...given} />}
      {rights.mayOpenOriginals && file.hasOriginal && (
        <OriginalForm file={file} incident={incident} writing={writing} />
      )}
    </div>
  );
}

type FormProps = { file: RelatedFile; hidden: Record<string, string>; writing: Writing };

function DescriptionForm({ file, hidden, writing }: FormProps) {
  const t = useWords("ownReport");
  const name = file.filename;
  return (
    <OwnForm
      writing={writing}
      form={`describe:${file.id}`}
      action={describeFileAction}
      hidden={hidden}
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
        maxLength={FILE_DESCRIPTION_MAX}
        count
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("saveDescription")}</SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

function ShareForm({ file, hidden, writing }: FormProps) {
  const t = useWords("case");
  const shared = file.visibleToReporter === true;
  return (
    <OwnForm
      writing={writing}
      form={`share:${file.id}`}
      action={shareFileAction}
      hidden={{ ...hidden, share: shared ? "no" : "yes" }}
      label={t("whoSees", { name: file.filename })}
      className="gap-4"
    >
      <SubmitButton variant="quiet" pendingLabel={t("saving")}>
        {t(shared ? "keepToTeam" : "share")}
      </SubmitButton>
    </OwnForm>
  );
}

function DeleteForm({ file, hidden, writing }: FormProps) {
  const t = useWords("ownReport");
  const name = file.filename;
  return (
    <OwnForm
      writing={writing}
      form={`deleteFile:${file.id}`}
      action={deleteFileAction}
      hidden={hidden}
      label={t("deleteNamed", { name })}
      className="gap-4"
      dialog={{ trigger: t("delete"), title: t("deleteNamedTitle", { name }), variant: "quiet" }}
    >
      <p>{t(file.hasOriginal ? "deleteFileAndOriginal" : "deleteFileAbout")}</p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("deleting")}>
          {t("deleteFile")}
        </SubmitButton>
      </FormActions>
    </OwnForm>
  );
}

type OriginalProps = { file: RelatedFile; incident: Incident; writing: Writing };

/** Its bytes come as the answer to the post, so the form goes to a route and not to an action. */
function OriginalForm({ file, incident, writing }: OriginalProps) {
  const t = useWords("case");
  const returned = returnedTo(`original:${file.id}`, writing.returned);
  return (
    <Disclosure summary={t("openOriginal")} open={returned !== null} className="ps-4">
      <div className="grid max-w-[60ch] gap-3">
        <p>{t("originalAbout")}</p>
        <PostForm
          action={`${pageOf(incident)}/original`}
          label={t("originalOf", { name: file.filename })}
          hidden={{ fileId: file.id, ticket: writing.ticket }}
          returned={returned}
        >
          <TextField
            name="reason"
            label={t("originalWhy")}
            maxLength={REASON_MAX}
            required
            count
            autoComplete="off"
          />
          <div>
            <Button type="submit">{t("originalDownload")}</Button>
          </div>
        </PostForm>
      </div>
    </Disclosure>
  );
}

const pageOf = ({ event, id }: Incident) => `/e/${event.slug}/i/${id}`;
const apiOf = ({ event, id }: Incident) => `/api/events/slug/${event.slug}/incidents/${id}/related-files`;
