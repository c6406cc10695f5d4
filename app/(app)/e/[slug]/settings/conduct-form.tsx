import { useTranslator } from "#i18n";
import type { PublicEventRecord } from "#components/event/event-data.ts";
import { TextLink } from "#components/ui/link.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UnsavedChangesGuard } from "#components/ui/unsaved-changes-guard.tsx";
import { renderMarkdown } from "#lib/design/markdown.ts";
import { CONDUCT_TEXTS } from "#lib/events/conduct-texts.ts";
import { MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { saveOrPreviewConductAction } from "./actions.ts";
import { ConductEditor } from "./conduct-editor.tsx";

type Props = {
  event: PublicEventRecord;
  /** A text to start from where there is none. */ starter: string | undefined;
};

/** Form for the code of conduct, with its preview. */
export function CodeOfConductForm({ event, starter }: Props) {
  const t = useTranslator("eventAdmin");
  const text = event.codeOfConduct ?? starter ?? "";
  return (
    <Form
      key={starter ?? ""}
      action={saveOrPreviewConductAction}
      hidden={{ slug: event.slug, ifMatch: event.updatedAt }}
      label={t("settings.codeOfConduct")}
      versions={{
        theirs: <span className="whitespace-pre-wrap">{event.codeOfConduct}</span>,
        field: "codeOfConduct",
      }}
    >
      <UnsavedChangesGuard />
      <ConductEditor
        text={text}
        html={renderMarkdown(text)}
        maxLength={MAX_CODE_OF_CONDUCT_LENGTH}
        labels={{
          label: t("settings.codeOfConduct"),
          hint: t("settings.conductHint"),
          preview: t("settings.preview"),
          asReaders: t("settings.asReaders"),
          nothing: t("settings.conductNothing"),
        }}
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("settings.saveConduct")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

/** Offers texts by others where an event has no code of conduct; opening one saves nothing. */
export function ConductStarters({ slug, isChosen }: { slug: string; isChosen: boolean }) {
  const t = useTranslator("setup");
  return (
    <div className="mb-6 grid gap-1">
      <h3 className="text-base font-[550]">{t("conduct.start")}</h3>
      <ul className="flex flex-wrap gap-x-6">
        {CONDUCT_TEXTS.map(({ id, ...text }) => (
          <li key={id}>
            <TextLink
              href={`/e/${slug}/settings?conduct=${id}#conduct`}
              className="inline-flex min-h-11 items-center"
            >
              {t("conduct.choice", text)}
            </TextLink>
          </li>
        ))}
      </ul>
      {isChosen && <p className="text-muted">{t("conduct.using")}</p>}
    </div>
  );
}
