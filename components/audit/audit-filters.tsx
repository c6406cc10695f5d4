import { useLocale, useTranslator } from "#words";
import { TextField, type FieldOption } from "#components/ui/field.tsx";
import { type AppliedFilter, FilterBar, FilterSelect } from "#components/ui/filter-bar.tsx";
import { buildHref, type SearchParams, readSearchParam } from "#lib/design/query.ts";
import { formatDate } from "#lib/design/time.ts";
import { AUDIT_ACTIONS, type AuditActionGroup, useAuditLabels } from "./audit-words.ts";

export type AuditPerson = { id: string; name: string };

type Props = {
  path: string;
  query: SearchParams;
  /** What this log tells of. */
  groups: readonly AuditActionGroup[];
  /** Whom one may choose from; without, a person is chosen by pressing their name in the list. */
  people?: readonly AuditPerson[];
  /** The name of the person that is filtered by, where the list knows it. */
  personName?: string | undefined;
  /** What the address holds besides the filters, such as `chain`. */
  keep?: Record<string, string | undefined>;
};

/** What is looked for in a log: who, what, about what, and when. */
export function AuditFilters({ path, query, groups, people, personName, keep = {} }: Props) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const value = (name: string) => readSearchParam(query, name);
  const names = { ...keep, ...(people ? {} : { actor: value("actor") }) };
  return (
    <FilterBar
      action={path}
      label={t("filters")}
      submitLabel={t("apply")}
      keep={names}
      applied={useAppliedFilters({
        path,
        query,
        personName: personName ?? findPersonName(people, value("actor")),
      })}
      clearHref={buildHref(path, keep, {})}
    >
      <FilterSelect
        name="action"
        label={t("action")}
        any={t("anyAction")}
        value={value("action")}
        options={buildActionOptions(groups, auditLabels.action)}
      />
      <FilterSelect
        name="objectType"
        label={t("object")}
        any={t("anyObject")}
        value={value("objectType")}
        options={listObjectTypes(groups).map((kind) => ({ value: kind, label: auditLabels.kind(kind) }))}
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
      <DayFilter name="from" label={t("from")} value={value("from")} />
      <DayFilter name="to" label={t("to")} value={value("to")} />
    </FilterBar>
  );
}

function DayFilter({ name, label, value }: { name: string; label: string; value: string | undefined }) {
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

const buildActionOptions = (
  groups: readonly AuditActionGroup[],
  labelOf: (action: string) => string,
): FieldOption[] =>
  groups.flatMap((group) => {
    const all = AUDIT_ACTIONS[group].map((name) => `${group}.${name}`);
    const groupValues = all.length > 1 ? [`${group}.`] : [];
    return [...groupValues, ...all].map((value) => ({ value, label: labelOf(value) }));
  });

/** Most actions are about the thing that they are named after. */
const OBJECT_TYPES_BY_GROUP: Partial<Record<AuditActionGroup, readonly string[]>> = {
  account: ["user", "token"],
  incidents: [],
  reports: [],
  demo: [],
};

const listObjectTypes = (groups: readonly AuditActionGroup[]): string[] => [
  ...new Set(groups.flatMap((group) => OBJECT_TYPES_BY_GROUP[group] ?? [group])),
];

const findPersonName = (
  people: readonly AuditPerson[] | undefined,
  id: string | undefined,
): string | undefined => people?.find((person) => person.id === id)?.name;

type AppliedFiltersInput = { path: string; query: SearchParams; personName: string | undefined };

function useAppliedFilters({ path, query, personName }: AppliedFiltersInput): AppliedFilter[] {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const locale = useLocale();
  const day = (text: string) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : formatDate(at, locale);
  };
  const labels = {
    action: (value: string) => t("filterAction", { action: auditLabels.action(value) }),
    objectType: (value: string) => t("filterObject", { object: auditLabels.kind(value) }),
    actor: () => t("filterActor", { name: personName ?? t("somebody") }),
    from: (value: string) => t("filterFrom", { date: day(value) }),
    to: (value: string) => t("filterTo", { date: day(value) }),
  };
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = readSearchParam(query, name);
    const href = buildHref(path, query, { [name]: null, page: null, before: null });
    return value === undefined ? [] : [{ label: label(value), href }];
  });
}
