import { useWords } from "#words";
import type { EventOfPage } from "#components/event/this-event.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { LeaveGuard } from "#components/ui/leave-guard.tsx";
import { markdownToHtml } from "#lib/design/markdown.ts";
import { MAX_CODE_OF_CONDUCT } from "#lib/events/schema.ts";
import { saveConductAction } from "./actions.ts";
import { ConductEditor } from "./conduct-editor.tsx";

/** What people agree on, and what it looks like to them. */
export function ConductForm({ event }: { event: EventOfPage }) {
  const t = useWords("eventAdmin");
  const text = event.codeOfConduct ?? "";
  return (
    <Form
      action={saveConductAction}
      hidden={{ slug: event.slug, ifMatch: event.updatedAt }}
      label={t("settings.codeOfConduct")}
      versions={{
        theirs: <span className="whitespace-pre-wrap">{text}</span>,
        field: "codeOfConduct",
      }}
    >
      <LeaveGuard />
      <ConductEditor
        text={text}
        html={markdownToHtml(text)}
        maxLength={MAX_CODE_OF_CONDUCT}
        words={{
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
