import { CalendarPlus, Inbox, LogOut, Pencil, Settings, Trash2 } from "lucide-react";
import type { Metadata } from "next";
import type { ReactNode } from "react";
import { AppFrame } from "#components/shell/app-frame.tsx";
import { ErrorMessage } from "#components/shell/failure.tsx";
import {
  UnavailableMessage,
  ForbiddenMessage,
  NotFoundMessage,
  RefusedMessage,
} from "#components/shell/messages.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge, type BadgeTone } from "#components/ui/badge.tsx";
import { Button, buttonClass, type ButtonVariant, LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { CategoryChart, MonthlyChart } from "#components/ui/chart.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
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
import { FilterBar, FilterSearch, FilterSelect } from "#components/ui/filter-bar.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { FormErrors } from "#components/ui/form-errors.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Link, TextLink } from "#components/ui/link.tsx";
import { Menu } from "#components/ui/menu.tsx";
import { menuItemClass } from "#components/ui/menu-item.ts";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Progress } from "#components/ui/progress.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Spinner } from "#components/ui/spinner.tsx";
import { Stepper } from "#components/ui/stepper.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { Time } from "#components/ui/time.tsx";
import { throwNotFound } from "#lib/http/page.ts";
import { type ColorName, COLORS } from "#lib/design/tokens.ts";
import { env } from "#lib/env.ts";
import { submitSampleForm, submitStaleSampleForm } from "./actions.ts";

/** In production the page doesn't exist, so it has no title either. */
export const generateMetadata = (): Metadata => (env().production ? {} : { title: "Style guide" });

/** Every component in every state, for page developers. Returns 404 in production. */
export default definePage(async function StyleGuide({
  searchParams,
}: {
  searchParams: Promise<{ fail?: string }>;
}) {
  if (env().production) throwNotFound();
  if ((await searchParams).fail) throw new Error("The style guide was asked to fail.");
  return (
    <AppFrame
      nav={[
        { label: "Style guide", href: "/styleguide" },
        { label: "Second", href: "/second" },
        { label: "Third", href: "/third" },
      ]}
      user={{ name: "Maya Okonkwo", email: "maya@example.org" }}
      userMenu={<SampleMenu />}
    >
      <div className="grid gap-10">
        <HeaderSamples />
        <ColorSamples />
        <TypographySamples />
        <ActionSamples />
        <StateSamples />
        <ListSamples />
        <FormSamples />
        <ChartSamples />
        <MessageSamples />
      </div>
    </AppFrame>
  );
}, NarrowFrame);

const NOW = new Date("2026-03-14T14:02:00.000Z");

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-4">
      <h2 className="border-b border-line pb-2 text-xl">{title}</h2>
      {children}
    </section>
  );
}

function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>;
}

function SampleMenu() {
  return (
    <>
      <Link href="/second" className={menuItemClass}>
        <Icon as={Settings} /> Account
      </Link>
      <button type="button" className={menuItemClass}>
        <Icon as={LogOut} /> Sign out
      </button>
    </>
  );
}

function HeaderSamples() {
  return (
    <div className="grid gap-6">
      <PageHeader
        title="Shouting at the registration desk on the first morning"
        breadcrumbs={[
          { label: "Harbour Conf", href: "/second" },
          { label: "Reports", href: "/third" },
        ]}
        meta={
          <>
            <Badge tone="state-investigating">Investigating</Badge>
            <Badge tone="severity-high">High</Badge>
            <span>
              Reported <Time value="2026-03-14T11:00:00.000Z" now={NOW} />
            </span>
          </>
        }
        actions={
          <>
            <Button variant="primary">Resolve…</Button>
            <Button icon={Pencil}>Edit title</Button>
          </>
        }
      />
      <Stepper
        label="Progress"
        steps={["Submitted", "Acknowledged", "Investigating", "Resolved", "Closed"]}
        current={2}
      />
      <Stepper
        compact
        label="Progress, compact"
        steps={["Submitted", "Acknowledged", "Investigating", "Resolved", "Closed"]}
        current={2}
      />
      <Tabs
        label="Views"
        items={[
          { label: "Overview", href: "/styleguide", current: true },
          { label: "Messages", href: "/second", count: 4 },
          { label: "History", href: "/third", count: 12 },
        ]}
      />
    </div>
  );
}

function ColorSamples() {
  return (
    <Section title="Colours">
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-2 text-sm">
        {(Object.keys(COLORS) as ColorName[]).map((name) => (
          <li key={name} className="flex items-center gap-2">
            <svg aria-hidden="true" width="32" height="32" viewBox="0 0 32 32" className="shrink-0">
              <rect
                x=".5"
                y=".5"
                width="31"
                height="31"
                rx="8"
                fill={`var(--color-${name})`}
                className="stroke-edge"
              />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function TypographySamples() {
  return (
    <Section title="Words">
      <Card title="The report" actions={<Badge tone="internal">Team only</Badge>}>
        <p className="reading">
          {
            "I was waiting for my badge when a man behind me began to shout at the volunteer. He said she was “too stupid to read a list” and hit the desk with his hand.\n\nShe was close to tears. Two people asked him to stop and he left."
          }
        </p>
      </Card>
      <Card title="Details" level={3}>
        <DefinitionList
          items={[
            { term: "When", value: <Time value="2026-03-14T09:10:00.000Z" now={NOW} show="both" /> },
            { term: "Where", value: "Registration desk, ground floor" },
            { term: "Who", value: null },
            {
              term: "A long value",
              value: "an-unbroken-name-that-is-much-longer-than-a-narrow-phone-is-wide-and-goes-on",
            },
          ]}
        />
      </Card>
      <p>
        Text with <TextLink href="/second">a link in it</TextLink>, <Time value="2026-03-01T09:10:00.000Z" />,
        and digits 0123456789.
      </p>
      <div className="grid gap-3">
        <Notice title="Who will read your report">
          <p>The response team of this event: three people.</p>
        </Notice>
        <Notice kind="success">
          <p>The title is changed.</p>
        </Notice>
        <Notice kind="warning" title="This event is over">
          <p>Reports are still read, within two days.</p>
        </Notice>
        <Notice kind="danger" title="This could not be saved">
          <p>Someone else changed it a moment ago. Reload to see their version.</p>
        </Notice>
      </div>
      <Disclosure summary="What happens next">
        <p>The team reads your report and writes to you.</p>
      </Disclosure>
      <EmptyState
        icon={Inbox}
        title="No reports"
        actions={
          <LinkButton href="/second" icon={CalendarPlus}>
            Create an event
          </LinkButton>
        }
      >
        <p>Reports appear here as soon as someone sends one.</p>
      </EmptyState>
      <div className="grid gap-6 sm:grid-cols-2">
        <Progress label="Uploading photo.jpg" value={62} />
        <Skeleton />
      </div>
    </Section>
  );
}

const VARIANTS: ButtonVariant[] = ["primary", "secondary", "quiet", "danger"];

function ActionSamples() {
  return (
    <Section title="Actions">
      {[{}, { pending: true }, { disabled: true }].map((state, at) => (
        <Row key={at}>
          {VARIANTS.map((variant) => (
            <Button key={variant} variant={variant} icon={Pencil} {...state}>
              {variant}
            </Button>
          ))}
        </Row>
      ))}
      <Row>
        <LinkButton href="/second" variant="primary">
          Link button
        </LinkButton>
        <Dialog trigger="Delete…" variant="danger" title="Delete this organization?">
          <div className="grid gap-4">
            <p>Its events, reports and files go with it, for good.</p>
            <Form action={submitSampleForm} label="Delete">
              <TextField name="title" label="Type the name to confirm" required />
              <FormActions>
                <SubmitButton variant="danger">
                  <Icon as={Trash2} /> Delete for good
                </SubmitButton>
              </FormActions>
            </Form>
          </div>
        </Dialog>
        <Form
          action={submitStaleSampleForm}
          dialog={{ trigger: "A stale title…", title: "Edit title" }}
          versions={{ theirs: "The title that somebody else gave it", field: "title" }}
        >
          <TextField name="title" label="Title" defaultValue="The title that you gave it" required />
          <FormActions>
            <SubmitButton>Save title</SubmitButton>
          </FormActions>
        </Form>
        <Menu trigger="More" triggerClass={buttonClass("secondary")} align="start">
          <SampleMenu />
        </Menu>
        <Spinner label="Loading" />
      </Row>
      <Row>
        <Avatar name="Maya Okonkwo" size="small" />
        <Avatar name="Omar" />
        <Avatar name="Ana Lima de Sá" size="large" />
        <Avatar name="Heed" src="/icon.svg" />
      </Row>
      <div className="max-w-lg">
        <CopyField label="Invite link" value="https://heed.example.org/invite/x7Hq2mVtA9pLw3Zb" />
      </div>
    </Section>
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

function StateSamples() {
  return (
    <Section title="States">
      <Row>
        {TONES.map(([tone, word]) => (
          <Badge key={tone} tone={tone}>
            {word}
          </Badge>
        ))}
      </Row>
    </Section>
  );
}

type Sample = { id: string; title: string; tone: BadgeTone; state: string; files: number; at: string };

const SAMPLES: Sample[] = [
  {
    id: "1",
    title: "Shouting at the registration desk",
    tone: "state-submitted",
    state: "Submitted",
    files: 2,
    at: "2026-03-14T11:00:00.000Z",
  },
  {
    id: "2",
    title: "Unwanted photographs during the evening programme, again and again",
    tone: "state-investigating",
    state: "Investigating",
    files: 11,
    at: "2026-03-12T11:00:00.000Z",
  },
  {
    id: "3",
    title: "Insults in the chat of the second stream",
    tone: "state-closed",
    state: "Closed",
    files: 0,
    at: "2025-11-02T11:00:00.000Z",
  },
];

const COLUMNS: TableColumn<Sample>[] = [
  {
    key: "title",
    header: "Title",
    rowHeader: true,
    cell: (row) => <TextLink href="/second">{row.title}</TextLink>,
    sort: { href: "/styleguide?sort=title" },
  },
  {
    key: "state",
    header: "State",
    cell: (row) => <Badge tone={row.tone}>{row.state}</Badge>,
    sort: { href: "/styleguide?sort=status" },
  },
  { key: "files", header: "Files", align: "end", cell: (row) => row.files },
  {
    key: "at",
    header: "Reported",
    align: "end",
    cell: (row) => <Time value={row.at} now={NOW} />,
    sort: { href: "/styleguide?sort=createdAt", direction: "descending" },
  },
];

function ListSamples() {
  return (
    <Section title="Lists">
      <FilterBar
        action="/styleguide"
        label="Reports"
        keep={{ sort: "createdAt" }}
        applied={[
          { label: "State: Submitted", href: "/styleguide?severity=high" },
          { label: "Severity: High", href: "/styleguide?status=submitted" },
        ]}
        clearHref="/styleguide"
      >
        <FilterSearch value="desk" />
        <FilterSelect
          name="status"
          label="State"
          any="Any status"
          value="submitted"
          options={[
            { value: "submitted", label: "Submitted" },
            { value: "closed", label: "Closed" },
          ]}
        />
        <FilterSelect
          name="severity"
          label="Severity"
          any="Any severity"
          options={[{ value: "high", label: "High" }]}
        />
      </FilterBar>
      <Card padded={false}>
        <Table caption="Reports" columns={COLUMNS} rows={SAMPLES} rowKey={(row) => row.id} />
      </Card>
      <Pagination path="/styleguide" query={{ search: "desk" }} page={6} pages={20} />
      <Pagination path="/styleguide" query={{}} page={1} pages={3} label="Short list" />
    </Section>
  );
}

function FormSamples() {
  return (
    <Section title="Forms">
      <Card className="max-w-2xl">
        <Form action={submitSampleForm} hidden={{ event: "harbour-conf" }} label="Example">
          <TextField
            name="title"
            label="Short title"
            hint="What would you call it in a mail?"
            required
            maxLength={70}
            count
          />
          <TextArea name="description" label="What happened" required />
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
          <TextField
            name="fixed"
            label="Read only"
            defaultValue="harbour-conf"
            readOnly
            markOptional={false}
          />
          <TextField name="off" label="Disabled" defaultValue="harbour-conf" disabled markOptional={false} />
        </div>
      </Card>
    </Section>
  );
}

const MONTHS = ["Oct 2025", "Nov 2025", "Dec 2025", "Jan 2026", "Feb 2026", "Mar 2026"].map((label, at) => ({
  label,
  count: [6, 9, 4, 11, 18, 14][at]!,
  resolved: [5, 7, 5, 8, 12, 9][at]!,
}));

function ChartSamples() {
  return (
    <Section title="Charts (example numbers)">
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <MonthlyChart
            id="months"
            title="Most reports came in February, 18 of 62"
            note="By month of arrival"
            points={MONTHS.map(({ label, count, resolved }) => ({ label, counts: [count], line: resolved }))}
            series={[{ name: "Reports" }]}
            line="Resolved"
          />
        </Card>
        <Card>
          <CategoryChart
            id="states"
            title="Nine reports wait for a first answer"
            names={{ label: "State", value: "Reports" }}
            rows={[
              { label: "Submitted", value: 9, color: "state-submitted" },
              { label: "Acknowledged", value: 6, color: "state-acknowledged" },
              { label: "Investigating", value: 12, color: "state-investigating" },
              { label: "Resolved", value: 24, color: "state-resolved" },
              { label: "Closed", value: 11, color: "state-closed" },
            ]}
          />
        </Card>
        <Card>
          <CategoryChart
            id="events"
            title="Harbour Conf had the most reports"
            names={{ label: "Event", value: "Reports" }}
            rows={[
              { label: "Harbour Conf", value: 31 },
              { label: "An event with a name that is far too long for the room it has", value: 20 },
              { label: '<script>alert("name")</script>', value: 11 },
              { label: "Quiet Meetup", value: 0 },
            ]}
          />
        </Card>
      </div>
    </Section>
  );
}

function MessageSamples() {
  return (
    <Section title="Messages">
      <p>
        Pages of their own: <TextLink href="/styleguide/nowhere">nothing at this address</TextLink>,{" "}
        <TextLink href="/styleguide?fail=1">a failure</TextLink>.
      </p>
      <Disclosure summary="Their words">
        <DemotedHeadings>
          <NotFoundMessage />
          <ForbiddenMessage />
          <RefusedMessage title="Too many requests">
            <p>Wait a moment, then try again.</p>
          </RefusedMessage>
          <ErrorMessage reference="1a2b3c" actions={<Button>Try again</Button>} />
          <UnavailableMessage reference="1a2b3c" actions={<Button>Try again</Button>} />
        </DemotedHeadings>
      </Disclosure>
    </Section>
  );
}

/** Lowers the heading levels of the examples, so that they aren't headings of this page. */
function DemotedHeadings({ children }: { children: ReactNode }) {
  return <div className="grid gap-4 divide-y divide-line">{children}</div>;
}
