import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import {
  Checkbox,
  CheckboxGroup,
  DateTimeField,
  FileField,
  RadioGroup,
  SelectField,
  TextArea,
  TextField,
} from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { validateSampleFormAction } from "./actions.ts";
import { SampleSection } from "./section.tsx";

export function FormSamples() {
  return (
    <SampleSection title="Forms">
      <SampleForm />
      <FieldStateSamples />
    </SampleSection>
  );
}

function SampleForm() {
  return (
    <Card className="max-w-2xl">
      <Form action={validateSampleFormAction} hidden={{ event: "harbor-conf" }} label="Example">
        <TextField
          name="title"
          label="Short title"
          hint="What would you call it in a mail?"
          required
          maxLength={70}
          count
        />
        <TextArea name="description" label="What happened" required />
        <ChoiceFieldSamples />
        <DateTimeField name="at" label="When" zone="UTC" />
        <FileField
          name="files"
          label="Files"
          multiple
          accept="image/*,application/pdf"
          hint="Photos and PDF, up to 10 MB each"
        />
        <TextField name="password" type="password" label="Password" required autoComplete="off" />
        <Checkbox
          name="anonymous"
          label="Send without my name"
          hint="The team can't write back to you then."
        />
        <FormActions>
          <SubmitButton pendingLabel="Sending…">Send report</SubmitButton>
          <LinkButton href="/styleguide" variant="quiet">
            Cancel
          </LinkButton>
        </FormActions>
      </Form>
    </Card>
  );
}

function ChoiceFieldSamples() {
  return (
    <>
      <SelectField
        name="kind"
        label="Kind"
        prompt="Not sure"
        options={[
          { value: "harassment", label: "Harassment" },
          { value: "threat", label: "Threat" },
        ]}
      />
      <RadioGroup
        name="contact"
        label="How may the team reach you?"
        required
        options={[
          { value: "mail", label: "By mail", hint: "To the address of your account" },
          { value: "none", label: "Not at all" },
        ]}
      />
      <CheckboxGroup
        name="seen"
        label="Who was there?"
        options={[
          { value: "staff", label: "Staff" },
          { value: "attendees", label: "Attendees" },
        ]}
      />
    </>
  );
}

/** Fields that were refused, that can only be read, and that are disabled. */
function FieldStateSamples() {
  return (
    <Card title="Refused" className="max-w-2xl">
      <div className="grid gap-6">
        <FormErrors
          formId="sample"
          state={{ ok: false, fieldErrors: { refused: "Write 10 to 70 characters." } }}
        />
        <TextField
          name="refused"
          label="Short title"
          error="Write 10 to 70 characters."
          defaultValue="Too short"
          required
        />
        <TextField name="fixed" label="Read only" defaultValue="harbor-conf" readOnly markOptional={false} />
        <TextField name="off" label="Disabled" defaultValue="harbor-conf" disabled markOptional={false} />
      </div>
    </Card>
  );
}
