import { Card } from "#components/ui/card.tsx";
import { CategoryChart, TimeSeriesChart } from "#components/ui/chart.tsx";
import { SampleSection } from "./section.tsx";

const MONTHS = ["Oct 2025", "Nov 2025", "Dec 2025", "Jan 2026", "Feb 2026", "Mar 2026"].map((label, at) => ({
  label,
  count: [6, 9, 4, 11, 18, 14][at]!,
  resolved: [5, 7, 5, 8, 12, 9][at]!,
}));

export function ChartSamples() {
  return (
    <SampleSection title="Charts (example numbers)">
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Card>
          <TimeSeriesChart
            id="months"
            title="Most reports came in February, 18 of 62"
            note="By month of arrival"
            points={MONTHS.map(({ label, count, resolved }) => ({ label, counts: [count], line: resolved }))}
            series={[{ name: "Reports" }]}
            line="Resolved"
          />
        </Card>
        <StatusChart />
        <EventChart />
      </div>
    </SampleSection>
  );
}

function StatusChart() {
  return (
    <Card>
      <CategoryChart
        id="states"
        title="Nine reports wait for a first response"
        names={{ label: "State", value: "Reports" }}
        rows={[
          { label: "Submitted", value: 9 },
          { label: "Acknowledged", value: 6 },
          { label: "Investigating", value: 12 },
          { label: "Resolved", value: 24 },
          { label: "Closed", value: 11 },
        ]}
      />
    </Card>
  );
}

/** Names that are too long, or that would be markup. */
function EventChart() {
  return (
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
  );
}
