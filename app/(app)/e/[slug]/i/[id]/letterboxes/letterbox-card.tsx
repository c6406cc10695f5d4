import { useTranslator } from "#i18n";
import { DecisionLetterDetails } from "#components/letterbox/decision-text.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { useDayFormatter } from "#components/ui/use-day-text.ts";
import { UserText } from "#components/ui/user-text.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { SerializedLetterbox } from "#lib/letterboxes/schema.ts";
import { closeLetterboxAction } from "./actions.ts";
import { DecisionLetterForm, LetterForm } from "./letter-forms.tsx";
import { RenewLetterboxCodeForm } from "./new-code-form.tsx";

type LetterboxCardSharedProps = { slug: string; incidentId: string; ticket: string; now: Date };
type Props = LetterboxCardSharedProps & { letterbox: SerializedLetterbox };
type Letter = SerializedLetterbox["letters"][number];

/** One letterbox as the team sees it. */
export function LetterboxCard({ letterbox, now, ...path }: Props) {
  const t = useTranslator("letterboxes");
  const { id, kind, label, closedAt, letters } = letterbox;
  const hidden = { ...path, letterboxId: id };
  return (
    <Card
      title={`${t(`kind.${kind}`)}: ${isolateBidi(label)}`}
      id={`letterbox-${id}`}
      actions={closedAt ? <Badge>{t("closedOn")}</Badge> : <CloseForm hidden={hidden} />}
    >
      <div className="grid gap-6">
        <ol aria-label={t("letters")} className="grid gap-3">
          {letters.length === 0 && <li className="text-muted">{t("noLetters")}</li>}
          {letters.map((letter) => (
            <LetterItem key={letter.id} letter={letter} now={now} />
          ))}
        </ol>
        <FileList letterbox={letterbox} {...path} />
        {!closedAt && (
          <div className="grid gap-2">
            <LetterForm hidden={hidden} />
            <DecisionLetterForm hidden={hidden} />
            <RenewLetterboxCodeForm hidden={hidden} />
          </div>
        )}
      </div>
    </Card>
  );
}

function CloseForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("letterboxes");
  return (
    <Form
      action={closeLetterboxAction}
      hidden={hidden}
      dialog={{ trigger: t("close.open"), title: t("closeTitle") }}
    >
      <p>{t("closeText")}</p>
      <FormActions>
        <SubmitButton variant="danger">{t("close")}</SubmitButton>
        <DismissDialogButton outcome="leave" />
      </FormActions>
    </Form>
  );
}

function LetterItem({ letter, now }: { letter: Letter; now: Date }) {
  const t = useTranslator("letterboxes");
  const isFromHolder = letter.from === "holder";
  const author = letter.author ? isolateBidi(letter.author.name) : t("gone");
  return (
    <li
      className={`grid max-w-[68ch] gap-2 rounded-surface border border-line p-4 ${isFromHolder ? "bg-surface" : "bg-sunken"}`}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <span className="font-[550]">{isFromHolder ? t("fromHolder") : t("fromTeam", { name: author })}</span>
        {letter.appeal && <Badge tone="caution">{t("appeal")}</Badge>}
        {letter.decision && <Badge>{t("decision")}</Badge>}
        <LetterTime letter={letter} now={now} />
      </div>
      {letter.decision ? (
        <DecisionLetterDetails decision={letter.decision} />
      ) : (
        <UserText>{letter.body}</UserText>
      )}
      {!isFromHolder && <ReadingText letter={letter} />}
    </li>
  );
}

/** A holder's letters have no time finer than the day. */
function LetterTime({ letter: { from, sentAt }, now }: { letter: Letter; now: Date }) {
  const formatDay = useDayFormatter();
  if (from === "holder") return <span>{formatDay(sentAt)}</span>;
  return <Time value={sentAt} now={now} />;
}

function ReadingText({ letter: { readOn } }: { letter: Letter }) {
  const t = useTranslator("letterboxes");
  const formatDay = useDayFormatter();
  return (
    <p className="text-sm text-muted">{readOn ? t("readOn", { day: formatDay(readOn) }) : t("notRead")}</p>
  );
}

function FileList({
  letterbox: { id, files },
  slug,
  incidentId,
}: Pick<Props, "letterbox" | "slug" | "incidentId">) {
  const t = useTranslator("letterboxes");
  if (files.length === 0) return null;
  const base = `/api/events/slug/${slug}/incidents/${incidentId}/letterboxes/${id}/files`;
  return (
    <div className="grid gap-1">
      <h3 className="text-sm text-muted">{t("files")}</h3>
      <ul>
        {files.map((file) => (
          <li key={file.id}>
            <a
              href={`${base}/${file.id}/download`}
              className="text-link inline-flex min-h-11 items-center wrap-anywhere"
            >
              <bdi>{file.filename}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
