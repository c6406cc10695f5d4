import { Avatar } from "#components/ui/avatar.tsx";
import { Badge, type BadgeTone } from "#components/ui/badge.tsx";
import { Button, buildButtonClass, type ButtonVariant, LinkButton } from "#components/ui/button.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { validateSampleFormAction, refuseSampleFormWithConflictAction } from "./actions.ts";
import { SampleSection, SampleRow, SampleMenu } from "./section.tsx";

const VARIANTS: ButtonVariant[] = ["primary", "secondary", "quiet", "danger"];

export function ActionSamples() {
  return (
    <SampleSection title="Actions">
      {[{}, { pending: true }, { disabled: true }].map((state, at) => (
        <SampleRow key={at}>
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant} icon="pencil" {...state}>
              {variant}
            </Button>
          ))}
        </SampleRow>
      ))}
      <SampleRow>
        <LinkButton href="/second" variant="primary">
          Link button
        </LinkButton>
        <DialogSamples />
        <Menu trigger="More" triggerClass={buildButtonClass("secondary")} align="start">
          <SampleMenu />
        </Menu>
        <Spinner />
      </SampleRow>
      <SampleRow>
        <Avatar name="Maya Okonkwo" size="small" />
        <Avatar name="Omar" />
        <Avatar name="Ana Lima de Sá" size="large" />
        <Avatar name="Heed" src="/icon.svg" />
      </SampleRow>
      <div className="max-w-lg">
        <CopyField label="Invite link" value="https://heed.example.org/invite/x7Hq2mVtA9pLw3Zb" />
      </div>
    </SampleSection>
  );
}

function DialogSamples() {
  return (
    <>
      <Dialog trigger="Delete…" variant="danger" title="Delete this organization?">
        <div className="grid gap-4">
          <p>Its events, reports and files go with it, for good.</p>
          <Form action={validateSampleFormAction} label="Delete">
            <TextField name="title" label="Type the name to confirm" required />
            <FormActions>
              <SubmitButton variant="danger">
                <Icon as="trash" /> Delete for good
              </SubmitButton>
              <DismissDialogButton outcome="keep" />
            </FormActions>
          </Form>
        </div>
      </Dialog>
      <Form
        action={refuseSampleFormWithConflictAction}
        dialog={{ trigger: "A stale title…", title: "Edit title" }}
        versions={{ theirs: "The title that somebody else gave it", field: "title" }}
      >
        <TextField name="title" label="Title" defaultValue="The title that you gave it" required />
        <FormActions>
          <SubmitButton>Save title</SubmitButton>
        </FormActions>
      </Form>
    </>
  );
}

const TONES: [BadgeTone, string][] = [
  ["state-submitted", "Submitted"],
  ["state-acknowledged", "Acknowledged"],
  ["state-investigating", "Investigating"],
  ["state-resolved", "Resolved"],
  ["state-closed", "Closed"],
  ["severity-critical", "Critical"],
  ["severity-high", "High"],
  ["severity-medium", "Medium"],
  ["severity-low", "Low"],
  ["severity-none", "Not set"],
  ["internal", "Team only"],
  ["public", "Reporter sees this"],
  ["neutral", "3 files"],
  ["accent", "New"],
  ["positive", "On time"],
  ["caution", "Due in 5 h"],
  ["danger", "2 h over"],
];

export function BadgeSamples() {
  return (
    <SampleSection title="States">
      <SampleRow>
        {TONES.map(([tone, word]) => (
          <Badge key={tone} tone={tone}>
            {word}
          </Badge>
        ))}
      </SampleRow>
    </SampleSection>
  );
}
