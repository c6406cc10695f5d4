import { useTranslator } from "#i18n";
import type { PublicEventRecord } from "#components/event/event-data.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { UnsavedChangesGuard } from "#components/ui/unsaved-changes-guard.tsx";
import { renderMarkdown } from "#lib/design/markdown.ts";
import { MAX_CODE_OF_CONDUCT_LENGTH } from "#lib/events/schema.ts";
import { saveOrPreviewConductAction } from "./actions.ts";
import { ConductEditor } from "./conduct-editor.tsx";

/** Form for the code of conduct, with its preview. */
export function CodeOfConductForm({ event }: { event: PublicEventRecord }) {
  const t = useTranslator("eventAdmin");
  const text = event.codeOfConduct ?? "";
  return (
    <Form
      action={saveOrPreviewConductAction}
      hidden={{ slug: event.slug, ifMatch: event.updatedAt }}
      label={t("settings.codeOfConduct")}
      versions={{
        theirs: <span className="whitespace-pre-wrap">{text}</span>,
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
