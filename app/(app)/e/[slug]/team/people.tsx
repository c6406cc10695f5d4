import { useTimeFormatOptions, useTranslator } from "#i18n";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { type TableColumn, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { formatDateTime, formatRelativeTime } from "#lib/design/time.ts";
import type { EventRole } from "#lib/operation/actor.ts";

type Person = {
  id: string;
  name: string;
  email: string | null;
  roles: EventRole[];
  /** Hasn't accepted the invitation yet. */
  invited: boolean;
  joinDate: string | null;
  lastActivity: string | null;
  avatarUrl: string | null;
};
type PersonWorkload = { userId: string; open: number; oldest: string };

type Props = {
  caption: string;
  users: readonly Person[];
  path: string;
  query: SearchParams;
  now: Date;
  /** Id of the viewer. */
  self: string;
  /**
   * The team sees email addresses, dates and activity, and can open a person's page; Reporters see names and
   * roles.
   */
  team: boolean;
  /** Open incidents per person, for Admins; null for others. */
  loads: readonly PersonWorkload[] | null;
};

export function PeopleTable(props: Props) {
  const t = useTranslator("eventAdmin");
  const columns = usePeopleColumns(props);
  return (
    <Table
      caption={props.loads ? `${props.caption}, ${t("team.openAbout")}` : props.caption}
      columns={columns.filter((column) => column !== false)}
      rows={props.users}
      rowKey={(person) => person.id}
    />
  );
}

/** The columns, with false for those that the viewer doesn't see. */
function usePeopleColumns({ path, query, now, self, team, loads }: Props): (TableColumn<Person> | false)[] {
  const t = useTranslator("eventAdmin");
  const sort = (name: string) => buildColumnSort(path, query, name);
  return [
    {
      key: "name",
      header: t("team.name"),
      rowHeader: true,
      cell: (person) => <PersonCell person={person} path={team ? path : null} self={person.id === self} />,
      ...(team && { sort: sort("name") }),
    },
    team && {
      key: "email",
      header: t("team.email"),
      cell: (person: Person) => <span className="wrap-anywhere">{person.email}</span>,
      sort: sort("email"),
    },
    {
      key: "roles",
      header: t("team.roles"),
      cell: (person) => <RoleBadges roles={person.roles} />,
      ...(team && { sort: sort("role") }),
    },
    loads !== null && {
      key: "open",
      header: t("team.open"),
      cell: (person: Person) => <WorkloadCell person={person} loads={loads} now={now} />,
    },
    team && {
      key: "active",
      header: t("team.active"),
      cell: (person: Person) => <ActivityCell person={person} now={now} />,
    },
    team && {
      key: "joined",
      header: t("team.joined"),
      cell: ({ joinDate }: Person) => joinDate && <Time value={joinDate} now={now} />,
    },
  ];
}

function buildColumnSort(
  path: string,
  query: SearchParams,
  name: string,
): NonNullable<TableColumn<Person>["sort"]> {
  const current = (query.sort ?? "name") === name;
  const descending = query.order === "desc";
  const href = buildHrefWithQueryChanges(path, query, {
    sort: name,
    order: current && !descending ? "desc" : "asc",
    page: null,
    teamPage: null,
  });
  return current ? { href, direction: descending ? "descending" : "ascending" } : { href };
}

type PersonProps = {
  person: Person;
  /** Path of the page above the person's page; null if the viewer can't open that. */
  path: string | null;
  self: boolean;
};

function PersonCell({ person, path, self }: PersonProps) {
  const t = useTranslator("eventAdmin");
  const { id, name, avatarUrl, invited } = person;
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      <Avatar name={name} src={avatarUrl} size="small" />
      <span className="min-w-0 wrap-anywhere">
        {path ? <TextLink href={`${path}/${id}`}>{name}</TextLink> : name}
        {self && <span className="font-normal text-muted"> ({t("team.you")})</span>}
        {invited && (
          <>
            {" "}
            <Badge>{t("team.invited")}</Badge>
          </>
        )}
      </span>
    </span>
  );
}

export function RoleBadges({ roles }: { roles: readonly EventRole[] }) {
  const t = useTranslator("incident");
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {roles.map((role) => (
        <Badge key={role}>{t(`role.${role}`)}</Badge>
      ))}
    </span>
  );
}

function ActivityCell({ person: { lastActivity }, now }: { person: Person; now: Date }) {
  const t = useTranslator("eventAdmin");
  return lastActivity ? (
    <Time value={lastActivity} now={now} />
  ) : (
    <span className="text-muted">{t("team.never")}</span>
  );
}

type WorkloadProps = { person: Person; loads: readonly PersonWorkload[]; now: Date };

/** Blank for Reporters, who are assigned to nothing. */
function WorkloadCell({ person, loads, now }: WorkloadProps) {
  const t = useTranslator("eventAdmin");
  const times = useTimeFormatOptions();
  if (person.roles.every((role) => role === "Reporter")) return null;
  const load = loads.find(({ userId }) => userId === person.id);
  if (!load) return <span className="text-muted">{t("team.none")}</span>;
  const oldest = new Date(load.oldest);
  return (
    <span className="tabular-nums" title={formatDateTime(oldest, times)}>
      {t("team.oldest", { count: load.open, time: formatRelativeTime(oldest, now, times) })}
    </span>
  );
}
