import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { CheckboxGroup } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { type Column, Table } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import { hrefWith, type Query } from "#lib/design/query.ts";
import type { EVENT_ROLES } from "#lib/events/schema.ts";
import { changeRolesAction, removePersonAction } from "./actions.ts";

type Role = (typeof EVENT_ROLES)[number];
type Person = {
  id: string;
  name: string;
  email: string | null;
  roles: Role[];
  joinDate: string;
  lastActivity: string | null;
  avatarUrl: string | null;
};

type Props = {
  users: readonly Person[];
  slug: string;
  path: string;
  query: Query;
  now: Date;
  /** Reporters see no addresses. */
  addresses: boolean;
  /** Admins give and take roles. */
  manages: boolean;
};

export function People({ users, slug, path, query, now, addresses, manages }: Props) {
  const sort = (name: string) => sortOf(path, query, name);
  const columns: Column<Person>[] = [
    {
      key: "name",
      header: "Name",
      rowHeader: true,
      cell: (person) => <Name {...person} />,
      sort: sort("name"),
    },
    ...(addresses
      ? [
          {
            key: "email",
            header: "E-mail",
            cell: (person: Person) => <span className="break-all">{person.email}</span>,
            sort: sort("email"),
          },
        ]
      : []),
    { key: "roles", header: "Roles", cell: (person) => <Roles roles={person.roles} />, sort: sort("role") },
    { key: "joined", header: "Joined", cell: (person) => <Time value={person.joinDate} now={now} /> },
    ...(manages
      ? [
          {
            key: "manage",
            header: "Manage",
            align: "end" as const,
            cell: (person: Person) => <Manage person={person} slug={slug} />,
          },
        ]
      : []),
  ];
  return (
    <Table caption="People of the event" columns={columns} rows={users} rowKey={(person) => person.id} />
  );
}

function sortOf(path: string, query: Query, name: string): NonNullable<Column<Person>["sort"]> {
  const current = (query.sort ?? "name") === name;
  const descending = query.order === "desc";
  const href = hrefWith(path, query, {
    sort: name,
    order: current && !descending ? "desc" : "asc",
    page: null,
  });
  return current ? { href, direction: descending ? "descending" : "ascending" } : { href };
}

function Name({ name }: Person) {
  return (
    <span className="inline-flex items-center gap-2">
      <Avatar name={name} size="small" decorative />
      <span className="min-w-0 break-words">{name}</span>
    </span>
  );
}

function Roles({ roles }: { roles: readonly Role[] }) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {roles.map((role) => (
        <Badge key={role}>{role}</Badge>
      ))}
    </span>
  );
}

function Manage({ person, slug }: { person: Person; slug: string }) {
  const hidden = { slug, userId: person.id };
  return (
    <div className="flex flex-wrap justify-end gap-2 text-start">
      <Form
        action={changeRolesAction}
        hidden={{ ...hidden, held: person.roles.join(",") }}
        dialog={{ trigger: <Named words="Roles…" name={person.name} />, title: `Roles of ${person.name}` }}
      >
        <CheckboxGroup
          name="roles"
          label="Roles in this event"
          options={ROLES}
          defaultValue={person.roles}
          required
        />
        <FormActions>
          <SubmitButton pendingLabel="Saving…">Save roles</SubmitButton>
        </FormActions>
      </Form>
      <Form
        action={removePersonAction}
        hidden={hidden}
        dialog={{
          trigger: <Named words="Remove…" name={person.name} />,
          title: `Remove ${person.name} from the event`,
          variant: "quiet",
        }}
      >
        <p>
          All roles here are taken away at once. Reports and notes stay. With an invite the person can come
          back.
        </p>
        <FormActions>
          <SubmitButton variant="danger" pendingLabel="Removing…">
            Remove from the event
          </SubmitButton>
        </FormActions>
      </Form>
    </div>
  );
}

function Named({ words, name }: { words: string; name: string }) {
  return (
    <>
      {words} <span className="sr-only">{name}</span>
    </>
  );
}

const ROLES: { value: Role; label: string; hint: string }[] = [
  { value: "Reporter", label: "Reporter", hint: "Reports, and sees their own reports." },
  { value: "Responder", label: "Responder", hint: "Reads and answers every report of this event." },
  { value: "Admin", label: "Admin", hint: "As a Responder, and manages the event and its people." },
];
