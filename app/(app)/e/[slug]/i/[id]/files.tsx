import { AddFiles } from "#components/incident/add-files.tsx";
import { hiddenData } from "#components/incident/file-words.ts";
import { PostForm } from "#components/incident/post-form.tsx";
import { counted, fileSize } from "#components/incident/words.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { type FormState, refused } from "#lib/design/form-state.ts";
import { DESCRIPTION_MAX, REASON_MAX } from "#lib/evidence/schema.ts";
import { FILES, type Incident, type RelatedFile } from "#lib/incidents/schema.ts";
import { deleteFileAction, describeFileAction, shareFileAction } from "./actions.ts";

/** What the viewer may do with files. */
export type FileRights = {
  team: boolean;
  mayOpenOriginals: boolean;
  /** Ids of the files that a reporter added; the team may change any. */
  own: readonly string[];
};

type Props = {
  incident: Incident;
  rights: FileRights;
  /** How much room the event's files take, for the team. */
  usage: { bytes: number; quota: number } | null;
  /** What a form that was posted without script comes back with; `values.form` says which of them. */
  returned: FormState | null;
  now: Date;
};

/** The files of a report: what they are, what they gave away, and what can be done with them. */
export function Files({ incident, rights, usage, returned, now }: Props) {
  const files = incident.relatedFiles;
  const adding = returned?.values?.form === "files" ? returned : null;
  return (
    <Card title="Files" id="files">
      <div className="grid gap-4">
        {files.length === 0 && <p className="text-muted">No files yet.</p>}
        {files.length > 0 && (
          <ul aria-label={counted(files.length, "file")} className="divide-y divide-line">
            {files.map((file) => (
              <FileRow
                key={file.id}
                file={file}
                incident={incident}
                rights={rights}
                returned={returned?.values?.form === `original:${file.id}` ? returned : null}
                now={now}
              />
            ))}
          </ul>
        )}
        <Disclosure
          summary="Add files"
          open={adding !== null && refused(adding)}
          className="no-print border-t border-line pt-2"
        >
          <AddFiles
            sendTo={`${pageOf(incident)}/files`}
            api={apiOf(incident)}
            returned={adding}
            limits={{ ...FILES, description: DESCRIPTION_MAX }}
            mayShare={rights.team && incident.reporterId !== null}
          />
        </Disclosure>
        {usage && (
          <p className="text-sm text-muted">
            Files of this event take {fileSize(usage.bytes)} of {fileSize(usage.quota)}.
          </p>
        )}
      </div>
    </Card>
  );
}

type RowProps = {
  file: RelatedFile;
  incident: Incident;
  rights: FileRights;
  returned: FormState | null;
  now: Date;
};

function FileRow({ file, incident, rights, returned, now }: RowProps) {
  const told = hiddenData(file);
  return (
    <li className="grid gap-1.5 py-3 first:pt-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <a
          href={`${apiOf(incident)}/${file.id}/download`}
          download={file.filename}
          className="text-link inline-flex min-h-11 min-w-0 items-center break-all"
        >
          {file.filename}
        </a>
        <span className="text-sm text-muted">
          {fileSize(file.size)} · {file.mimetype} · <Time value={file.createdAt} now={now} />
        </span>
      </div>
      {file.description && <p className="max-w-[68ch]">{file.description}</p>}
      <Marks file={file} rights={rights} anonymous={incident.reporterId === null} />
      {told && <p className="max-w-[68ch] text-sm text-muted">{told}</p>}
      <FileActions file={file} incident={incident} rights={rights} returned={returned} />
    </li>
  );
}

type MarksProps = { file: RelatedFile; rights: FileRights; anonymous: boolean };

function Marks({ file, rights, anonymous }: MarksProps) {
  const uncleanable = file.clean === "not_cleanable";
  const seen = rights.team && !anonymous;
  if (!uncleanable && !rights.team) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {uncleanable && <Badge tone="caution">Can't be cleaned</Badge>}
      {seen && (
        <Badge tone={file.visibleToReporter ? "public" : "internal"}>
          {file.visibleToReporter ? "The reporter can see it" : "Team only"}
        </Badge>
      )}
      {rights.team && (
        <span className="text-sm text-muted">
          {file.uploadedBy ? `Added by ${file.uploadedBy.name}` : "It isn't kept who added it"}
        </span>
      )}
    </div>
  );
}

type ActionsProps = Omit<RowProps, "now">;

/** The team changes any file. A reporter describes own ones, and takes them back until somebody answers. */
function FileActions({ file, incident, rights, returned }: ActionsProps) {
  const own = rights.own.includes(file.id);
  if (!rights.team && !own) return null;
  const hidden = { slug: incident.event.slug, incidentId: incident.id, fileId: file.id };
  const mayDelete = rights.team || incident.state === "submitted";
  const mayShare = rights.team && incident.reporterId !== null && file.uploadedBy?.id !== incident.reporterId;
  return (
    <div className="no-print -ms-4 flex flex-wrap items-start gap-x-1">
      <DescriptionForm file={file} hidden={hidden} />
      {mayShare && <ShareForm file={file} hidden={hidden} />}
      {mayDelete && <DeleteForm file={file} hidden={hidden} />}
      {rights.mayOpenOriginals && file.hasOriginal && (
        <OriginalForm file={file} incident={incident} returned={returned} />
      )}
    </div>
  );
}

type OnFile = { file: RelatedFile; hidden: Record<string, string> };

function DescriptionForm({ file, hidden }: OnFile) {
  return (
    <Form
      action={describeFileAction}
      hidden={hidden}
      label={`Describe ${file.filename}`}
      className="gap-4"
      dialog={{
        trigger: file.description ? "Edit description…" : "Describe…",
        title: `What ${file.filename} shows`,
        variant: "quiet",
      }}
    >
      <TextField
        name="description"
        label="Description"
        defaultValue={file.description ?? ""}
        maxLength={DESCRIPTION_MAX}
        count
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel="Saving…">Save description</SubmitButton>
      </FormActions>
    </Form>
  );
}

function ShareForm({ file, hidden }: OnFile) {
  const shared = file.visibleToReporter === true;
  return (
    <Form
      action={shareFileAction}
      hidden={{ ...hidden, share: shared ? "no" : "yes" }}
      label={`Who sees ${file.filename}`}
      className="gap-4"
    >
      <SubmitButton variant="quiet" pendingLabel="Saving…">
        {shared ? "Keep to the team" : "Share with the reporter"}
      </SubmitButton>
    </Form>
  );
}

function DeleteForm({ file, hidden }: OnFile) {
  return (
    <Form
      action={deleteFileAction}
      hidden={hidden}
      label={`Delete ${file.filename}`}
      className="gap-4"
      dialog={{ trigger: "Delete…", title: `Delete ${file.filename}?`, variant: "quiet" }}
    >
      <p>
        The file {file.hasOriginal && "and its sealed original are"}
        {!file.hasOriginal && "is"} gone for everybody. That it was there stays in the history.
      </p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel="Deleting…">
          Delete file
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

type OriginalProps = { file: RelatedFile; incident: Incident; returned: FormState | null };

/** Its bytes come as the answer to the post, so the form goes to a route and not to an action. */
function OriginalForm({ file, incident, returned }: OriginalProps) {
  return (
    <Disclosure summary="Open the original" open={returned !== null} className="ps-4">
      <div className="grid max-w-[60ch] gap-3">
        <p>
          The original is sealed, since it holds what was taken out of the team's copy. Who opens it, and why,
          is kept in the log.
        </p>
        <PostForm
          action={`${pageOf(incident)}/original`}
          label={`Open the original of ${file.filename}`}
          hidden={{ fileId: file.id }}
          returned={returned}
        >
          <TextField
            name="reason"
            label="Why you need it"
            maxLength={REASON_MAX}
            required
            count
            autoComplete="off"
          />
          <div>
            <Button type="submit">Download the original</Button>
          </div>
        </PostForm>
      </div>
    </Disclosure>
  );
}

const pageOf = ({ event, id }: Incident) => `/e/${event.slug}/i/${id}`;
const apiOf = ({ event, id }: Incident) => `/api/events/slug/${event.slug}/incidents/${id}/related-files`;
