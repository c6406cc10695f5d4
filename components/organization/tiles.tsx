import type { ReactNode } from "react";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { hoursInWords, TOO_FEW } from "#lib/analytics/findings.ts";

type Metrics = {
  totalReports: number;
  pendingReports: number;
  unassignedReports: number;
  escalatedReports: number;
  medianFirstResponse: number | null;
  medianResolution: number | null;
  avgResolutionTime: number | null;
};

/** The six numbers over the charts, each with what it counts and what it leaves out. */
export function Tiles({ metrics }: { metrics: Metrics }) {
  const total = metrics.totalReports;
  return (
    <ul aria-label="Numbers" className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-3">
      <Tile name="Reports" value={total}>
        Reports made in the chosen time that fit the filters. Every other number counts among these.
      </Tile>
      <Tile name="Open now" value={metrics.pendingReports} line={share(metrics.pendingReports, total)}>
        Neither resolved nor closed at this moment. A report that was opened again counts as open.
      </Tile>
      <Tile name="Open, nobody assigned" value={metrics.unassignedReports}>
        Open reports that no person of the team has taken on.
      </Tile>
      <Tile name="Escalated" value={metrics.escalatedReports} line={share(metrics.escalatedReports, total)}>
        Reports that became critical, or whose deadline for a first answer passed. They stay counted
        afterwards.
      </Tile>
      <Tile name="Median time to first answer" value={duration(metrics.medianFirstResponse, total)}>
        Half of the answered reports had their first answer within this time. Reports that still wait are left
        out.
      </Tile>
      <Tile
        name="Median time to resolution"
        value={duration(metrics.medianResolution, total)}
        line={
          metrics.avgResolutionTime !== null && total >= TOO_FEW
            ? `${hoursInWords(metrics.avgResolutionTime)} on average`
            : undefined
        }
      >
        Half of the resolved or closed reports got there within this time. Open reports are left out.
      </Tile>
    </ul>
  );
}

type TileProps = {
  name: string;
  value: ReactNode;
  line?: string;
  /** What the number counts. */ children: ReactNode;
};

function Tile({ name, value, line, children }: TileProps) {
  return (
    <li className="grid content-start gap-1 rounded-surface border border-line bg-surface p-3 sm:px-6 sm:py-4">
      <p className="text-sm text-muted">{name}</p>
      <p className="flex flex-wrap items-baseline gap-x-3 text-2xl font-[650] tabular-nums">
        {value}
        {line && <span className="text-sm font-normal text-muted">{line}</span>}
      </p>
      <Disclosure
        summary={
          <span className="text-sm">
            Definition<span className="sr-only"> of {name}</span>
          </span>
        }
        className="-mb-2"
      >
        <p className="text-sm text-muted">{children}</p>
      </Disclosure>
    </li>
  );
}

const share = (count: number, total: number): string | undefined =>
  total >= TOO_FEW ? `${Math.round((100 * count) / total)} %` : undefined;

/** A length of time, unless there is none, or too little to take it from. */
function duration(hours: number | null, total: number): ReactNode {
  if (hours === null) return <span className="text-lg font-normal text-muted">None yet</span>;
  if (total < TOO_FEW) return <span className="text-lg font-normal text-muted">Too few to say</span>;
  return hoursInWords(hours);
}
