import { Badge, type BadgeTone } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { FilterBar, FilterSearchField, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { SampleSection, SAMPLE_NOW } from "./section.tsx";

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
    cell: (row) => <Time value={row.at} now={SAMPLE_NOW} />,
    sort: { href: "/styleguide?sort=createdAt", direction: "descending" },
  },
];

export function ListSamples() {
  return (
    <SampleSection title="Lists">
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
        <FilterSearchField label="Search" value="desk" />
        <FilterSelectField
          name="status"
          label="State"
          any="Any status"
          value="submitted"
          options={[
            { value: "submitted", label: "Submitted" },
            { value: "closed", label: "Closed" },
          ]}
        />
        <FilterSelectField
          name="severity"
          label="Severity"
          any="Any severity"
          options={[{ value: "high", label: "High" }]}
        />
      </FilterBar>
      <Card padded={false}>
        <Table caption="Reports" columns={COLUMNS} rows={SAMPLES} rowKey={(row) => row.id} />
      </Card>
      <PaginationNav path="/styleguide" query={{ search: "desk" }} page={6} pages={20} />
      <PaginationNav path="/styleguide" query={{}} page={1} pages={3} label="Short list" />
    </SampleSection>
  );
}
