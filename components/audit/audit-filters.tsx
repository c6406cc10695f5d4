import { useLocale, useWords } from "#words";
import { TextField, type Option } from "#components/ui/field.tsx";
import { type AppliedFilter, FilterBar, FilterSelect } from "#components/ui/filter-bar.tsx";
import { hrefWith, type Query, valueIn } from "#lib/design/query.ts";
import { exactDate } from "#lib/design/time.ts";
import { ACTIONS, type ActionGroup, useAuditWords } from "./audit-words.ts";

export type AuditPerson = { id: string; name: string };

type Props = {
  path: string;
  query: Query;
  /** What this log tells of. */
  groups: readonly ActionGroup[];
  /** Whom one may choose from; without, a person is chosen by pressing their name in the list. */
  people?: readonly AuditPerson[];
  /** The name of the person that is filtered by, where the list knows it. */
  personName?: string | undefined;
  /** What the address holds besides the filters, such as `chain`. */
  keep?: Record<string, string | undefined>;
};

/** What is looked for in a log: who, what, about what, and when. */
export function AuditFilters({ path, query, groups, people, personName, keep = {} }: Props) {
  const t = useWords("audit");
  const words = useAuditWords();
  const value = (name: string) => valueIn(query, name);
  const names = { ...keep, ...(people ? {} : { actor: value("actor") }) };
  return (
    <FilterBar
      action={path}
      label={t("filters")}
      submitLabel={t("apply")}
      keep={names}
      applied={useApplied({ path, query, personName: personName ?? nameOf(people, value("actor")) })}
      clearHref={hrefWith(path, keep, {})}
    >
      <FilterSelect
        name="action"
        label={t("action")}
        any={t("anyAction")}
        value={value("action")}
        options={actionOptions(groups, words.action)}
      />
      <FilterSelect
        name="objectType"
        label={t("object")}
        any={t("anyObject")}
        value={value("objectType")}
        options={kindsOf(groups).map((kind) => ({ value: kind, label: words.kind(kind) }))}
      />
      {people && (
        <FilterSelect
          name="actor"
          label={t("actor")}
          any={t("anyActor")}
          value={value("actor")}
          options={people.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <Day name="from" label={t("from")} value={value("from")} />
      <Day name="to" label={t("to")} value={value("to")} />
    </FilterBar>
  );
}

function Day({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <div className="min-w-44 grow basis-44 sm:max-w-48">
      <TextField
        name={name}
        type="date"
        label={label}
        defaultValue={value?.slice(0, 10)}
        markOptional={false}
      />
    </div>
  );
}

const actionOptions = (groups: readonly ActionGroup[], word: (action: string) => string): Option[] =>
  groups.flatMap((group) => {
    const all = ACTIONS[group].map((name) => `${group}.${name}`);
    const whole = all.length > 1 ? [`${group}.`] : [];
    return [...whole, ...all].map((value) => ({ value, label: word(value) }));
  });

/** Most actions are about the thing that they are named after. */
const NAMED_OTHERWISE: Partial<Record<ActionGroup, readonly string[]>> = {
  account: ["user", "token"],
  incidents: [],
  reports: [],
  demo: [],
};

const kindsOf = (groups: readonly ActionGroup[]): string[] => [
  ...new Set(groups.flatMap((group) => NAMED_OTHERWISE[group] ?? [group])),
];

const nameOf = (people: readonly AuditPerson[] | undefined, id: string | undefined): string | undefined =>
  people?.find((person) => person.id === id)?.name;

type Applying = { path: string; query: Query; personName: string | undefined };

function useApplied({ path, query, personName }: Applying): AppliedFilter[] {
  const t = useWords("audit");
  const words = useAuditWords();
  const locale = useLocale();
  const day = (text: string) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : exactDate(at, locale);
  };
  const labels = {
    action: (value: string) => t("filterAction", { action: words.action(value) }),
    objectType: (value: string) => t("filterObject", { object: words.kind(value) }),
    actor: () => t("filterActor", { name: personName ?? t("somebody") }),
    from: (value: string) => t("filterFrom", { date: day(value) }),
    to: (value: string) => t("filterTo", { date: day(value) }),
  };
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = valueIn(query, name);
    const href = hrefWith(path, query, { [name]: null, page: null, before: null });
    return value === undefined ? [] : [{ label: label(value), href }];
  });
}
