import { Badge } from "#components/ui/badge.tsx";
import { Button, LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PageHeader } from "#components/ui/page-header.tsx";
import { ProgressBar } from "#components/ui/progress.tsx";
import { StepProgress } from "#components/ui/step-progress.tsx";
import { Tabs } from "#components/ui/tabs.tsx";
import { Time } from "#components/ui/time.tsx";
import { type ColorName, COLORS } from "#lib/design/tokens.ts";
import { SampleSection, SAMPLE_NOW } from "./section.tsx";

const STATUSES = ["Submitted", "Acknowledged", "Investigating", "Resolved", "Closed"];

export function HeaderSamples() {
  return (
    <div className="grid gap-6">
      <SampleHeader />
      <StepProgress label="Progress" steps={STATUSES} current={2} />
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

function SampleHeader() {
  return (
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
            Reported <Time value="2026-03-14T11:00:00.000Z" now={SAMPLE_NOW} />
          </span>
        </>
      }
      actions={
        <>
          <Button variant="primary">Resolve…</Button>
          <Button icon="pencil">Edit title</Button>
        </>
      }
    />
  );
}

export function ColorSamples() {
  return (
    <SampleSection title="Colors">
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
    </SampleSection>
  );
}

export function ContentSamples() {
  return (
    <SampleSection title="Words">
      <ReportSamples />
      <p>
        Text with <TextLink href="/second">a link in it</TextLink>, <Time value="2026-03-01T09:10:00.000Z" />,
        and digits 0123456789.
      </p>
      <NoticeSamples />
      <Disclosure summary="What happens next">
        <p>The team reads your report and writes to you.</p>
      </Disclosure>
      <EmptyState
        icon="inbox"
        title="No reports"
        actions={
          <LinkButton href="/second" icon="calendar-plus">
            Create an event
          </LinkButton>
        }
      >
        <p>Reports appear here as soon as someone sends one.</p>
      </EmptyState>
      <ProgressBar label="Uploading photo.jpg" value={62} />
    </SampleSection>
  );
}

function ReportSamples() {
  return (
    <>
      <Card title="The report" actions={<Badge tone="internal">Team only</Badge>}>
        <p className="reading">
          {
            "I was waiting for my badge when a man behind me began to shout at the volunteer. He said she was “too stupid to read a list” and hit the desk with his hand.\n\nShe was close to tears. Two people asked him to stop and he left."
          }
        </p>
      </Card>
      <Card title="Details">
        <DefinitionList
          items={[
            { term: "When", value: <Time value="2026-03-14T09:10:00.000Z" now={SAMPLE_NOW} show="both" /> },
            { term: "Where", value: "Registration desk, ground floor" },
            { term: "Who", value: null },
            {
              term: "A long value",
              value: "an-unbroken-name-that-is-much-longer-than-a-narrow-phone-is-wide-and-goes-on",
            },
          ]}
        />
      </Card>
    </>
  );
}

function NoticeSamples() {
  return (
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
  );
}
