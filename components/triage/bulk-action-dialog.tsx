"use client";

import { compareNames } from "#lib/design/name-order.ts";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { InitiallyOpenDialog } from "#components/ui/modal-dialog.tsx";
import { MENU_ITEM_CLASS } from "#components/ui/menu-item.ts";
import type { Severity, IncidentState } from "#lib/incidents/schema.ts";
import type { BulkAction } from "./bulk-actions.ts";
import type { InboxRowData } from "./row-data.ts";
import { useTriageVocabulary } from "./vocabulary.ts";

export type BulkActionDialogState = {
  mode: "assign" | "state" | "severity" | "menu";
  rows: readonly InboxRowData[];
};

type Props = BulkActionDialogState & {
  actorId: string;
  onAction: (action: BulkAction) => void;
  onChoose: (mode: BulkActionDialogState["mode"]) => void;
  onClose: () => void;
};

/** Asks once for an action's input, for all selected rows. */
export function BulkActionInputDialog({ mode, ...props }: Props) {
  const t = useTranslator("inboxClient");
  return (
    <InitiallyOpenDialog
      key={mode}
      title={t(`ask.${mode}`, { count: props.rows.length })}
      onClose={props.onClose}
    >
      {mode === "assign" && <AssigneePrompt {...props} />}
      {mode === "state" && <StatusPrompt {...props} />}
      {mode === "severity" && <SeverityPrompt {...props} />}
      {mode === "menu" && <ActionMenu {...props} />}
    </InitiallyOpenDialog>
  );
}

type ActionPromptProps = Omit<Props, "mode">;

function AssigneePrompt({ rows, actorId, onAction }: ActionPromptProps) {
  const t = useTranslator("inboxClient");
  const people = useTeam(rows);
  const assignable = listAssignable(people ?? [], rows);
  const unlistedCount = (people ?? []).length - assignable.length;
  const options = [
    { value: "me", label: t("me") },
    { value: "", label: t("nobody") },
    ...assignable.filter(({ id }) => id !== actorId).map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <ActionPrompt
      send={t("assign")}
      onSend={(form) => onAction({ do: "assign", to: String(form.get("to")) })}
    >
      <Options name="to" options={options} chosen={rows[0]?.assignee?.id ?? "me"} />
      {unlistedCount > 0 && <p className="text-sm text-muted">{t("unlisted", { count: unlistedCount })}</p>}
      {people === undefined && <p className="text-sm text-muted">{t("loadingPeople")}</p>}
      {people === null && <p className="text-sm text-muted">{t("severalEvents")}</p>}
    </ActionPrompt>
  );
}

function SeverityPrompt({ rows, onAction }: ActionPromptProps) {
  const t = useTranslator("inboxClient");
  const { severities } = useTriageVocabulary();
  return (
    <ActionPrompt
      send={t("set")}
      onSend={(form) => onAction({ do: "severity", severity: String(form.get("severity")) as Severity | "" })}
    >
      <Options name="severity" options={severities} chosen={rows[0]?.severity ?? ""} />
    </ActionPrompt>
  );
}

/** The note is entered once and saved with each incident (contract 7.6 says where one is required). */
function StatusPrompt({ rows, actorId, onAction }: ActionPromptProps) {
  const t = useTranslator("inboxClient");
  const { states } = useTriageVocabulary();
  const people = listAssignable(useTeam(rows) ?? [], rows);
  const [state, setState] = useState<IncidentState>(rows[0]?.state ?? "acknowledged");
  const needsNote = state === "investigating" || state === "resolved";
  const needsPerson = state === "investigating";
  function send(form: FormData) {
    const notes = String(form.get("notes") ?? "").trim();
    const assignee = String(form.get("assignee") ?? "");
    onAction({ do: "state", state, ...(notes ? { notes } : {}), ...(assignee ? { assignee } : {}) });
  }
  return (
    <ActionPrompt send={t("move")} onSend={send}>
      <Options
        name="state"
        options={states}
        chosen={state}
        onChoose={(value) => setState(value as IncidentState)}
      />
      {(state === "resolved" || state === "closed") && <p className="max-w-[60ch]">{t("noOutcome")}</p>}
      {needsPerson && <AssigneeSelect people={people} initial={rows[0]?.assignee?.id ?? actorId} />}
      <label className="grid gap-1.5">
        <span className="font-[550]">{t(needsNote ? "note" : "noteOptional")}</span>
        <span className="text-sm text-muted">{t("noteHint")}</span>
        <textarea name="notes" rows={3} maxLength={10_000} required={needsNote} className="control" />
      </label>
    </ActionPrompt>
  );
}

function AssigneeSelect({ people, initial }: { people: readonly Person[]; initial: string }) {
  const t = useTranslator("inboxClient");
  return (
    <label className="grid gap-1.5">
      <span className="font-[550]">{t("whoTakesIt")}</span>
      <span className="relative">
        <select key={people.length} name="assignee" required defaultValue={initial} className="control">
          <option value="">{t("choosePerson")}</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <Icon as="chevron-down" className="pointer-events-none absolute end-3 top-3 text-muted" />
      </span>
    </label>
  );
}

function ActionMenu({ rows, onAction, onChoose }: ActionPromptProps) {
  const t = useTranslator("inboxClient");
  const pinned = rows.every((row) => row.pinned);
  const unread = rows.every((row) => row.unread);
  const items: { label: string; keys: string[]; run: () => void }[] = [
    { label: t("keys.assignMe"), keys: ["a"], run: () => onAction({ do: "assign", to: "me" }) },
    { label: t("keys.assign"), keys: ["Shift", "a"], run: () => onChoose("assign") },
    { label: t("keys.acknowledge"), keys: [], run: () => onAction({ do: "acknowledge" }) },
    { label: t("keys.state"), keys: ["s"], run: () => onChoose("state") },
    { label: t("keys.severity"), keys: ["v"], run: () => onChoose("severity") },
    {
      label: t(pinned ? "unpin" : "keys.pin"),
      keys: ["p"],
      run: () => onAction({ do: pinned ? "unpin" : "pin" }),
    },
    ...(unread ? [] : [{ label: t("keys.unread"), keys: ["u"], run: () => onAction({ do: "unread" }) }]),
  ];
  return (
    <ul className="-mx-3">
      {items.map(({ label, keys, run }) => (
        <li key={label}>
          <button type="button" className={MENU_ITEM_CLASS} onClick={run}>
            <span className="grow">{label}</span>
            {keys.map((key) => (
              <kbd key={key} className="text-sm text-muted">
                {key}
              </kbd>
            ))}
          </button>
        </li>
      ))}
    </ul>
  );
}

function ActionPrompt({
  send,
  onSend,
  children,
}: {
  send: string;
  onSend: (form: FormData) => void;
  children: ReactNode;
}) {
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onSend(new FormData(event.currentTarget));
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {children}
      <Button type="submit" variant="primary" className="justify-self-start">
        {send}
      </Button>
    </form>
  );
}

type OptionsProps = {
  name: string;
  options: readonly { value: string; label: string }[];
  chosen: string;
  onChoose?: (value: string) => void;
};

/** Arrow keys move through the options, and Enter submits. */
function Options({ name, options, chosen, onChoose }: OptionsProps) {
  return (
    <div className="grid max-h-72 overflow-y-auto">
      {options.map(({ value, label }) => (
        <label key={value} className="flex min-h-11 items-center gap-3 rounded-control px-1 hover:bg-sunken">
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === chosen}
            onChange={() => onChoose?.(value)}
            className="size-5 shrink-0"
          />
          <span className="min-w-0 wrap-anywhere">{label}</span>
        </label>
      ))}
    </div>
  );
}

type Person = { id: string; name: string };

/** The people who can be assigned every one of the rows. */
const listAssignable = (team: readonly Person[], rows: readonly InboxRowData[]): Person[] =>
  team.filter(({ id }) => !rows.some((row) => row.hiddenFrom?.includes(id)));

/** Returns the people on the rows' team; undefined while loading, null if the rows span several events. */
function useTeam(rows: readonly InboxRowData[]): readonly Person[] | null | undefined {
  const slugs = new Set(rows.map(({ slug }) => slug));
  const slug = slugs.size === 1 ? rows[0]?.slug : undefined;
  const [people, setPeople] = useState<readonly Person[]>();
  useEffect(() => {
    if (!slug) return;
    const controller = new AbortController();
    void fetchTeam(slug, controller.signal).then(setPeople, () => setPeople([]));
    return () => controller.abort();
  }, [slug]);
  return slug ? people : null;
}

async function fetchTeam(slug: string, signal: AbortSignal): Promise<Person[]> {
  const withRole = async (role: string): Promise<Person[]> => {
    const path = `/api/events/slug/${encodeURIComponent(slug)}/users?role=${role}&limit=100`;
    const answer = await fetch(path, { signal });
    return answer.ok ? ((await answer.json()) as { users: Person[] }).users : [];
  };
  const usersByRole = await Promise.all(["Admin", "Responder"].map(withRole));
  const people = new Map(usersByRole.flat().map((person) => [person.id, person]));
  return [...people.values()].toSorted(compareNames);
}
