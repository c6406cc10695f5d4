"use client";

import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { useWords } from "#words";
import { Button } from "#components/ui/button.tsx";
import { useForm } from "#components/ui/form-context.ts";
import { Prose } from "#components/ui/prose.tsx";
import { useScripted } from "#components/ui/scripted.ts";
import { draftOf, keepDraft, writtenBy } from "./unsent.ts";
import { type Mention, mentionAt, peopleNamed } from "./mentions.ts";

type Person = { id: string; name: string };

type Props = {
  /** Whose words these are: an account of somebody else doesn't find them. */
  writer: string;
  /** Names the place, so that what is written here outlives a filter or a refresh of the page. */
  place: string;
  /** The API's address of a preview. */
  preview: string;
  /** Who can be named behind an @; nobody where that means nothing. */
  people?: readonly Person[];
  /** The field that is written in. */
  children: ReactNode;
};

/** What makes writing easier around a text field: Ctrl+Enter, a preview, names behind an @, and a draft that stays. */
export function WritingAids({ writer, place, preview, people = [], children }: Props) {
  const t = useWords("caseClient");
  const { state } = useForm();
  const scripted = useScripted();
  const box = useRef<HTMLDivElement>(null);
  const fieldIn = () => box.current?.querySelector("textarea") ?? null;
  const names = useNames(people, fieldIn);
  const shown = usePreview(preview, fieldIn);

  useEffect(() => {
    writtenBy(writer);
    const field = fieldIn();
    const draft = draftOf(place);
    if (field && field.value === "" && draft !== "") write(field, draft);
  }, [writer, place]);

  useEffect(() => {
    if (state.ok) keepDraft(place, "");
  }, [state, place]);

  function onChange(event: ChangeEvent<HTMLDivElement>) {
    const field: EventTarget = event.target;
    if (!(field instanceof HTMLTextAreaElement)) return;
    keepDraft(place, field.value);
    names.look(field);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      fieldIn()?.form?.requestSubmit();
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
      {scripted && (
        <div className="flex flex-wrap items-center gap-x-3">
          <Button
            variant="quiet"
            className="-ms-4"
            aria-expanded={shown.html !== null}
            onClick={shown.toggle}
          >
            {shown.html === null ? t("preview") : t("previewClose")}
          </Button>
          <span className="text-sm text-muted max-sm:hidden">{t("sendKeys")}</span>
        </div>
      )}
      {!scripted && people.length > 0 && <Names people={people} />}
      <div aria-live="polite" className="empty:-mt-2">
        {shown.html !== null && (
          <div className="rounded-control border border-dashed border-edge p-3">
            <p className="mb-1 text-sm font-[550] text-muted">{t("previewTitle")}</p>
            <Prose html={shown.html} />
          </div>
        )}
      </div>
    </div>
  );
}

/** Who can be named, for those whose browser offers no list while they write. */
function Names({ people }: { people: readonly Person[] }) {
  const t = useWords("caseClient");
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

/** Puts words into a field as if they were typed, so that whoever listens hears of it. */
function write(field: HTMLTextAreaElement, words: string): void {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(field, words);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** What the words would look like, as the service says it; null while it isn't shown. */
function usePreview(address: string, fieldIn: () => HTMLTextAreaElement | null) {
  const t = useWords("caseClient");
  const [html, setHtml] = useState<string | null>(null);
  async function toggle() {
    if (html !== null) return setHtml(null);
    setHtml((await previewOf(address, fieldIn()?.value ?? "")) ?? `<p>${t("previewFailed")}</p>`);
  }
  return { html, toggle };
}

async function previewOf(address: string, body: string): Promise<string | null> {
  if (body.trim() === "") return "";
  try {
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    const response = await fetch(address, { method: "POST", headers, body: JSON.stringify({ body }) });
    return response.ok ? ((await response.json()) as { html: string }).html : null;
  } catch {
    return null;
  }
}

const MOST_NAMES = 6;

/**
 * The list of names behind an @: the field keeps the focus, the arrow keys move through the list, Enter or Tab takes
 * a name, Escape closes it.
 */
function useNames(people: readonly Person[], fieldIn: () => HTMLTextAreaElement | null) {
  const t = useWords("caseClient");
  const id = useId();
  const [mention, setMention] = useState<Mention | null>(null);
  const [chosen, setChosen] = useState(0);
  const found = mention ? peopleNamed(people, mention.wanted).slice(0, MOST_NAMES) : [];
  const open = found.length > 0;

  useEffect(() => {
    const field = fieldIn();
    if (!field || people.length === 0) return;
    field.setAttribute("aria-autocomplete", "list");
    tie(field, open ? { list: id, option: `${id}-${chosen}` } : null);
  });

  function look(field: HTMLTextAreaElement) {
    setMention(people.length > 0 ? mentionAt(field.value, field.selectionStart) : null);
    setChosen(0);
  }

  function take(person: Person | undefined) {
    const field = fieldIn();
    if (!field || !mention || !person) return;
    const end = mention.at + 1 + mention.wanted.length;
    const before = `${field.value.slice(0, mention.at)}@${person.name} `;
    write(field, before + field.value.slice(end).replace(/^ /, ""));
    field.focus();
    field.setSelectionRange(before.length, before.length);
    setMention(null);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!open) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + found.length) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") take(found[chosen]);
    else if (event.key === "Escape") setMention(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const list = open ? (
    <>
      <p role="status" className="sr-only">
        {t("namesFound", { count: found.length })}
      </p>
      <div
        id={id}
        role="listbox"
        aria-label={t("names")}
        className="max-w-sm rounded-control border border-edge bg-surface p-1"
      >
        {found.map((person, at) => (
          <div
            key={person.id}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            className="flex min-h-11 cursor-pointer items-center rounded-control px-3 wrap-anywhere aria-selected:bg-accent-soft aria-selected:text-accent-hover"
            onPointerDown={(event) => {
              event.preventDefault();
              take(person);
            }}
          >
            <bdi>{person.name}</bdi>
          </div>
        ))}
      </div>
    </>
  ) : null;

  return { look, onKeyDown, onBlur: () => setMention(null), list };
}

/** The field says which list belongs to it, and which of its names the arrows are at. */
function tie(field: HTMLTextAreaElement, to: { list: string; option: string } | null): void {
  const set = (name: string, value: string | undefined) =>
    value === undefined ? field.removeAttribute(name) : field.setAttribute(name, value);
  set("aria-controls", to?.list);
  set("aria-activedescendant", to?.option);
}
