import { buildButtonClass } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { buildHrefWithQueryChanges, type SearchParams } from "#lib/design/query.ts";
import { MAX_SAVED_VIEW_NAME_LENGTH } from "#lib/incidents/saved-view-schema.ts";
import { useTranslator } from "#i18n";
import { saveDensityOrShortcutsAction, saveViewAction } from "./actions.ts";
import type { InboxPreferences } from "./preferences.ts";
import { SortOrderMenu } from "./sort-order-menu.tsx";
import { type FilteredList, listFilterChips, listPreservedParams } from "./filter-chips.ts";
import { type IncidentFilterFormData, IncidentFilterForm } from "./filters.tsx";
import {
  buildReplacedFiltersHref,
  formatViewQuery,
  getViewOrder,
  type IncidentListViewParams,
} from "./view.ts";

type Props = FilteredList & {
  query: SearchParams;
  /** Whether the URL has filters. */
  isFiltered: boolean;
};

/** Search and filters of the list, in one form, so that they combine without script. */
export function IncidentFilterBar(props: Props) {
  return <IncidentFilterForm data={useFilterData(props)} />;
}

const PRESERVED_PARAMS = ["sort", "order", "limit"] as const;

function useFilterData({ query, isFiltered, ...list }: Props): IncidentFilterFormData {
  const t = useTranslator("inbox");
  const inboxClient = useTranslator("inboxClient");
  const translators = {
    inbox: t,
    inboxClient,
    incident: useTranslator("incident"),
    joinTexts: useCommaJoiner(),
  };
  const { path, view } = list;
  return {
    path,
    filters: buildReplacedFiltersHref("", {}, view),
    choices: buildHrefWithQueryChanges("/inbox/choices", view, {
      onlyEvent: list.onlyEvent,
      // What changes no choice.
      search: null,
      page: null,
      limit: null,
      sort: null,
      order: null,
    }),
    preservedParams: listPreservedParams(view, PRESERVED_PARAMS),
    search: view.search ?? null,
    clear: isFiltered ? buildReplacedFiltersHref(path, view, {}) : null,
    // The choices of the others come when one is opened: a person who answers for many events has hundreds.
    chips: listFilterChips(list, translators).map(({ listGroups, ...chip }) =>
      chip.name === query.choose ? { ...chip, groups: listGroups() } : chip,
    ),
    labels: {
      filters: t("filters"),
      search: t("search"),
      searchHint: t("searchHint"),
      apply: t("apply"),
      clear: t("clear"),
      clearOne: inboxClient("clearOne"),
      unreachable: t("choicesUnreachable"),
    },
  };
}

type ToolsProps = Pick<Props, "path" | "isFiltered"> & {
  /** The list as the URL names it. */
  askedView: IncidentListViewParams;
  /** Path and query of this page, to return to. */
  here: string;
  preferences: InboxPreferences;
  /** The one event that the list covers; saved views then belong to it. */
  event: { slug: string } | null;
};

/** Sorting and density of the list, and the form to save it as a view. */
export function IncidentListToolbar({ path, askedView: view, ...props }: ToolsProps) {
  const { isFiltered, here, preferences, event } = props;
  return (
    <>
      <SortMenu path={path} view={view} />
      <DensityToggle compact={preferences.compact} here={here} />
      {isFiltered && <SaveViewForm view={event ? { ...view, event: event.slug } : view} />}
    </>
  );
}

const SORT_ORDERS = [
  { name: "urgency", sort: "urgency", order: "desc" },
  { name: "newest", sort: "createdAt", order: "desc" },
  { name: "oldest", sort: "createdAt", order: "asc" },
  { name: "due", sort: "due", order: "asc" },
  { name: "severity", sort: "severity", order: "desc" },
  { name: "titleUp", sort: "title", order: "asc" },
  { name: "titleDown", sort: "title", order: "desc" },
  { name: "stateUp", sort: "status", order: "asc" },
  { name: "stateDown", sort: "status", order: "desc" },
] as const;

function SortMenu({ path, view }: { path: string; view: IncidentListViewParams }) {
  const t = useTranslator("inbox");
  const { sort, order } = getViewOrder(view);
  const current = SORT_ORDERS.find((one) => one.sort === sort && one.order === order) ?? SORT_ORDERS[0];
  const orders = SORT_ORDERS.map((one) => ({
    href: buildHrefWithQueryChanges(path, view, { sort: one.sort, order: one.order, page: null }),
    label: t(`order.${one.name}`),
    ...(one.name === "urgency" && { hint: t("order.urgencyHint") }),
    ...(one === current && { current: true }),
  }));
  return <SortOrderMenu label={t(`order.${current.name}`)} orders={orders} />;
}

function DensityToggle({ compact, here }: { compact: boolean; here: string }) {
  const t = useTranslator("inbox");
  const label = t(compact ? "comfortable" : "compact");
  return (
    <form action={saveDensityOrShortcutsAction} className="hidden min-[56.25rem]:block">
      <input type="hidden" name="prefer" value="density" />
      <input type="hidden" name="path" value={here} />
      <button
        type="submit"
        name="value"
        value={compact ? "comfortable" : "compact"}
        aria-label={label}
        title={label}
        className={buildButtonClass("secondary", "w-11 px-0")}
      >
        <Icon as={compact ? "rows-2" : "rows-3"} />
      </button>
    </form>
  );
}

function SaveViewForm({ view }: { view: IncidentListViewParams }) {
  const t = useTranslator("inbox");
  return (
    <Form
      action={saveViewAction}
      hidden={{ query: formatViewQuery(view) }}
      dialog={{
        trigger: (
          <>
            <Icon as="save" /> {t("saveView.open")}
          </>
        ),
        title: t("saveViewTitle"),
      }}
    >
      <TextField
        name="name"
        label={t("viewName")}
        hint={t("viewNameHint")}
        maxLength={MAX_SAVED_VIEW_NAME_LENGTH}
        required
        autoComplete="off"
      />
      <SubmitButton pendingLabel={t("saving")}>{t("saveView")}</SubmitButton>
    </Form>
  );
}
