import { useLocale, useTranslator } from "#i18n";
import { TextField, type FieldOption } from "#components/ui/field.tsx";
import { type AppliedFilterData, FilterBar, FilterSelectField } from "#components/ui/filter-bar.tsx";
import { buildHrefWithQueryChanges, type SearchParams, readSingleSearchParam } from "#lib/design/query.ts";
import { formatDate, createUtcTimeFormatOptions } from "#lib/design/time.ts";
import {
  AUDIT_ACTION_GROUPS,
  listAuditObjectTypes,
  type AuditActionGroup,
  useAuditLabels,
} from "./audit-text.ts";

export type AuditFilterPerson = { id: string; name: string };

type Props = {
  path: string;
  query: SearchParams;
  /** Action groups that this log can contain. */
  groups: readonly AuditActionGroup[];
  /** People to choose from; without them, a person is filtered by pressing their name in the list. */
  people?: readonly AuditFilterPerson[];
  /** Name of the person filtered by, if the list contains it. */
  personName?: string | undefined;
  /** Other query parameters to preserve, such as `chain`. */
  keep?: Record<string, string | undefined>;
};

/** Filters of an audit log: actor, action, object and dates. */
export function AuditLogFilterBar({ path, query, groups, people, personName, keep = {} }: Props) {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const value = (name: string) => readSingleSearchParam(query, name);
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
      clearHref={buildHrefWithQueryChanges(path, keep, {})}
    >
      <FilterSelectField
        name="action"
        label={t("action")}
        any={t("anyAction")}
        value={value("action")}
        options={buildActionOptions(groups, auditLabels.action)}
      />
      <FilterSelectField
        name="objectType"
        label={t("object")}
        any={t("anyObject")}
        value={value("objectType")}
        options={listAuditObjectTypes(groups).map((kind) => ({ value: kind, label: auditLabels.kind(kind) }))}
      />
      {people && <ActorFilter people={people} value={value("actor")} />}
      <DayFilter name="from" label={t("from")} value={value("from")} />
      <DayFilter name="to" label={t("to")} value={value("to")} />
    </FilterBar>
  );
}

function ActorFilter({ people, value }: { people: readonly AuditFilterPerson[]; value: string | undefined }) {
  const t = useTranslator("audit");
  return (
    <FilterSelectField
      name="actor"
      label={t("actor")}
      any={t("anyActor")}
      value={value}
      options={people.map(({ id, name }) => ({ value: id, label: name }))}
    />
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
    const all = AUDIT_ACTION_GROUPS[group].map((name) => `${group}.${name}`);
    const groupValues = all.length > 1 ? [`${group}.`] : [];
    return [...groupValues, ...all].map((value) => ({ value, label: labelOf(value) }));
  });

const findPersonName = (
  people: readonly AuditFilterPerson[] | undefined,
  id: string | undefined,
): string | undefined => people?.find((person) => person.id === id)?.name;

type AppliedFiltersInput = { path: string; query: SearchParams; personName: string | undefined };

function useAppliedFilters({ path, query, personName }: AppliedFiltersInput): AppliedFilterData[] {
  const t = useTranslator("audit");
  const auditLabels = useAuditLabels();
  const locale = useLocale();
  const day = (text: string) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? "–" : formatDate(at, createUtcTimeFormatOptions(locale));
  };
  const labels = {
    action: (value: string) => t("filterAction", { action: auditLabels.action(value) }),
    objectType: (value: string) => t("filterObject", { object: auditLabels.kind(value) }),
    actor: () => t("filterActor", { name: personName ?? t("somebody") }),
    from: (value: string) => t("filterFrom", { date: day(value) }),
    to: (value: string) => t("filterTo", { date: day(value) }),
  };
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = readSingleSearchParam(query, name);
    const href = buildHrefWithQueryChanges(path, query, { [name]: null, page: null, before: null });
    return value === undefined ? [] : [{ label: label(value), href }];
  });
}
