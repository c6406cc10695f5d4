import { TextLink } from "#components/ui/link.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";
import { dayInWords, numberInWords } from "#lib/design/day-words.ts";

/** Who has looked at a report: by name for the team, in numbers for whoever reported. */

export type AccessLog = {
  access: readonly { id: string; kind: string; actor: { name: string } | null; at: string }[];
  readers: readonly { id: string; name: string; lastAt: string }[];
  pagination: { page: number; totalPages: number };
};

type Props = {
  log: AccessLog;
  path: string;
  query: Query;
  /** The whole list is asked for in the address. */
  whole: boolean;
  now: Date;
};

/** Who has read it, and when last; each single look where it is asked for. */
export function ReadByTeam({ log, path, query, whole, now }: Props) {
  const { access, readers, pagination } = log;
  return (
    <div className="grid gap-3">
      {readers.length === 0 && <p className="text-muted">Nobody but the reporter has opened it.</p>}
      <ul className="grid max-w-md gap-1.5">
        {readers.map(({ id, name, lastAt }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-3">
            <span className="min-w-0">{name}</span>
            <span className="text-sm text-muted">
              <Time value={lastAt} now={now} />
            </span>
          </li>
        ))}
      </ul>
      <TextLink
        href={`${hrefWith(path, query, { access: whole ? null : 1 })}#access`}
        className="inline-flex min-h-11 items-center justify-self-start"
      >
        {whole ? "Hide the whole list" : "Show every look"}
      </TextLink>
      {whole && (
        <>
          <ol aria-label="Every look, newest first" className="grid gap-2 border-t border-line pt-3 text-sm">
            {access.map(({ id, kind, actor, at }) => (
              <li key={id} className="flex flex-wrap gap-x-3">
                <span>
                  {actor?.name ?? "Somebody whose account is gone"} {KIND_WORDS[kind] ?? kind}
                </span>
                <span className="text-muted">
                  <Time value={at} now={now} show="both" />
                </span>
              </li>
            ))}
          </ol>
          <Pagination
            path={path}
            query={query}
            page={pagination.page}
            pages={pagination.totalPages}
            param="access"
            label="Pages of the list of looks"
            keepFirst
          />
        </>
      )}
    </div>
  );
}

const KIND_WORDS: Record<string, string> = {
  view: "opened the report",
  file: "opened a file",
  original: "opened the original of a file",
  export: "exported it",
  log: "saw who has looked",
};

/** "Read by two people of the response team, last on Friday." */
export function ReadByInNumbers({
  readBy,
  lastReadOn,
  now,
}: {
  readBy: number;
  lastReadOn: string | null;
  now: Date;
}) {
  if (readBy === 0 || !lastReadOn) return <p>Nobody of the response team has opened it yet.</p>;
  const people = readBy === 1 ? "one person" : `${numberInWords(readBy)} people`;
  return (
    <p>
      Read by {people} of the response team, last {dayInWords(lastReadOn, now)}.
    </p>
  );
}
