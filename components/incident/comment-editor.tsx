"use client";

import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useTranslator } from "#i18n";
import { useFormContext } from "#components/ui/form-context.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import {
  getUnsentTextOfField,
  setUnsentTextOfField,
  discardUnsentTextsOfOtherAccounts,
} from "./unsent-text.ts";
import { type TypedMention, findMentionAt, filterPeopleByName } from "./mentions.ts";

type Person = { id: string; name: string };

type Props = {
  /** Id of the writer; another account doesn't see the text. */
  writer: string;
  /** Names the field, so that unsent text survives a filter or refresh. */
  place: string;
  /** Names the keys that submit the text: to send a message, or to save a note. */
  submitHint: "sendKeys" | "saveKeys";
  /** People who can be mentioned with @; empty where mentions have no effect. */
  people?: readonly Person[];
  /** The text field. */
  children: ReactNode;
};

/** Adds to a text field: Ctrl+Enter, @ mentions, and a draft that survives refreshes. */
export function CommentEditor({ writer, place, submitHint, people = [], children }: Props) {
  const t = useTranslator("incidentClient");
  const scripted = useHydrated();
  const box = useRef<HTMLDivElement>(null);
  const getField = () => box.current?.querySelector("textarea") ?? null;
  const names = useMentionSuggestions(people, getField);
  useUnsentText({ writer, place }, getField);

  function onChange(event: ChangeEvent<HTMLDivElement>) {
    const field: EventTarget = event.target;
    if (!(field instanceof HTMLTextAreaElement)) return;
    setUnsentTextOfField(place, field.value);
    names.onInput(field);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      getField()?.form?.requestSubmit();
    } else names.onKeyDown(event);
  }

  return (
    <div
      ref={box}
      role="presentation"
      className="grid gap-2"
      onChange={onChange}
      onKeyDown={onKeyDown}
      onBlur={names.onBlur}
    >
      {children}
      {names.list}
      {scripted && <p className="text-sm text-muted max-sm:hidden">{t(submitHint)}</p>}
      {!scripted && people.length > 0 && <NameList people={people} />}
    </div>
  );
}

/** Restores text that wasn't sent, and forgets it once it is. */
function useUnsentText(
  { writer, place }: Pick<Props, "writer" | "place">,
  getField: () => HTMLTextAreaElement | null,
): void {
  const { state } = useFormContext();
  const restoreDraft = useEffectEvent(() => {
    const field = getField();
    const draft = getUnsentTextOfField(place);
    if (field && field.value === "" && draft !== "") replaceFieldText(field, draft);
  });
  useEffect(() => {
    discardUnsentTextsOfOtherAccounts(writer);
    restoreDraft();
  }, [writer, place]);
  useEffect(() => {
    if (state.ok) setUnsentTextOfField(place, "");
  }, [state, place]);
}

/** The people who can be mentioned, for browsers without suggestions while typing. */
function NameList({ people }: { people: readonly Person[] }) {
  const t = useTranslator("incidentClient");
  return (
    <details className="text-sm">
      <summary className="inline-flex min-h-11 items-center rounded-control text-accent hover:text-accent-hover">
        {t("names")}
      </summary>
      <ul className="grid gap-1 ps-1">
        {people.map(({ id, name }) => (
          <li key={id} className="wrap-anywhere">{`@${name}`}</li>
        ))}
      </ul>
    </details>
  );
}

/** Sets a field's text as if typed, so that input listeners, including React's, notice it. */
function replaceFieldText(field: HTMLTextAreaElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

const MAX_SUGGESTED_NAMES = 6;

/**
 * Suggestions for @ mentions: the field keeps the focus, arrow keys move through the list, Enter or Tab
 * inserts a name, Escape closes it.
 */
function useMentionSuggestions(people: readonly Person[], getField: () => HTMLTextAreaElement | null) {
  const id = useId();
  const [mention, setMention] = useState<TypedMention | null>(null);
  const [chosen, setChosen] = useState(0);
  const suggestions = mention ? filterPeopleByName(people, mention.name).slice(0, MAX_SUGGESTED_NAMES) : [];
  const open = suggestions.length > 0;

  useEffect(() => {
    if (people.length > 0) linkFieldToList(getField(), open ? { list: id, option: `${id}-${chosen}` } : null);
  });

  function updateMention(field: HTMLTextAreaElement) {
    setMention(people.length > 0 ? findMentionAt(field.value, field.selectionStart) : null);
    setChosen(0);
  }

  function insertMention(person: Person | undefined) {
    const field = getField();
    if (!field || !mention || !person) return;
    completeMention(field, mention, person.name);
    setMention(null);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!open) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + suggestions.length) % suggestions.length);
    else if (event.key === "Enter" || event.key === "Tab") insertMention(suggestions[chosen]);
    else if (event.key === "Escape") setMention(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const list = open && (
    <MentionList id={id} suggestions={suggestions} chosen={chosen} onChoose={insertMention} />
  );

  return { onInput: updateMention, onKeyDown, onBlur: () => setMention(null), list };
}

/** Replaces the started mention by the whole name, and moves the cursor behind it. */
function completeMention(field: HTMLTextAreaElement, mention: TypedMention, name: string): void {
  const end = mention.at + 1 + mention.name.length;
  const before = `${field.value.slice(0, mention.at)}@${name} `;
  replaceFieldText(field, before + field.value.slice(end).replace(/^ /, ""));
  field.focus();
  field.setSelectionRange(before.length, before.length);
}

type MentionListProps = {
  id: string;
  suggestions: readonly Person[];
  /** Index of the active suggestion. */
  chosen: number;
  onChoose: (person: Person) => void;
};

function MentionList({ id, suggestions, chosen, onChoose }: MentionListProps) {
  const t = useTranslator("incidentClient");
  return (
    <>
      <p role="status" className="sr-only">
        {t("namesFound", { count: suggestions.length })}
      </p>
      <div
        id={id}
        role="listbox"
        aria-label={t("names")}
        className="max-w-sm rounded-control border border-edge bg-surface p-1"
      >
        {suggestions.map((person, at) => (
          <div
            key={person.id}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className="flex min-h-11 cursor-pointer items-center rounded-control px-3 wrap-anywhere aria-selected:bg-accent-soft aria-selected:text-accent-hover"
            onPointerDown={(event) => {
              event.preventDefault();
              onChoose(person);
            }}
          >
            <bdi>{person.name}</bdi>
          </div>
        ))}
      </div>
    </>
  );
}

/** Sets the ARIA attributes that link the field to its list and to the active option. */
function linkFieldToList(
  field: HTMLTextAreaElement | null,
  to: { list: string; option: string } | null,
): void {
  if (!field) return;
  field.setAttribute("aria-autocomplete", "list");
  const set = (name: string, value: string | undefined) =>
    value === undefined ? field.removeAttribute(name) : field.setAttribute(name, value);
  set("aria-controls", to?.list);
  set("aria-activedescendant", to?.option);
}
