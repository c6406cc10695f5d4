"use client";

import { useTranslator } from "#i18n";
import { type ComponentProps, type ReactNode, useState } from "react";
import { chevronDownIcon } from "#lib/design/icons.ts";
import { countCharacters, normalizeTypedText } from "#lib/design/text-input.ts";
import { buildButtonClass } from "./button-class.ts";
import {
  type CommonFieldProps,
  FieldError,
  FieldHint,
  FieldWrapper,
  omitFieldProps,
  OptionalMark,
  useFieldState,
} from "./field-parts.tsx";
import { IconWithoutScript } from "./icon-without-script.tsx";

export type FieldOption = { value: string; label: string; hint?: string; disabled?: boolean };

type TextProps = CommonFieldProps &
  Pick<
    ComponentProps<"input">,
    | "autoComplete"
    | "autoFocus"
    | "defaultValue"
    | "inputMode"
    | "maxLength"
    | "minLength"
    | "pattern"
    | "placeholder"
    | "readOnly"
    | "disabled"
    | "spellCheck"
  > & {
    type?: "text" | "email" | "password" | "url" | "tel" | "search" | "number" | "date" | "time";
    min?: string | number;
    max?: string | number;
    /** Shows how many characters are used, from four fifths of `maxLength` on. */
    count?: boolean;
  };

/** A single line of text. */
export function TextField({ count = false, type = "text", defaultValue, ...props }: TextProps) {
  const field = useFieldState(
    props,
    type === "password" ? undefined : toText(defaultValue),
    type !== "password",
  );
  const counter = useCharacterCounter(field.value, count ? props.maxLength : undefined);
  return (
    <FieldWrapper field={field} counter={counter.text}>
      <input
        {...field.control}
        // People search for names, which the next person at the device must not be offered.
        autoComplete={type === "search" ? "off" : undefined}
        {...omitFieldProps(props)}
        type={type}
        dir={type === "text" || type === "search" ? "auto" : undefined}
        placeholder={props.placeholder ?? " "}
        defaultValue={field.value}
        onInput={counter.onInput}
        className="control"
      />
    </FieldWrapper>
  );
}

type AreaProps = CommonFieldProps &
  Pick<
    ComponentProps<"textarea">,
    | "defaultValue"
    | "maxLength"
    | "minLength"
    | "placeholder"
    | "rows"
    | "disabled"
    | "autoComplete"
    | "spellCheck"
    | "aria-required"
  > & {
    count?: boolean;
  };

/** Several lines of text; grows with its content. */
export function TextArea({ count = false, defaultValue, rows = 5, ...props }: AreaProps) {
  const field = useFieldState(props, toText(defaultValue));
  const counter = useCharacterCounter(field.value, count ? props.maxLength : undefined);
  return (
    <FieldWrapper field={field} counter={counter.text}>
      <textarea
        {...field.control}
        {...omitFieldProps(props)}
        dir="auto"
        placeholder={props.placeholder ?? " "}
        rows={rows}
        defaultValue={field.value}
        onInput={counter.onInput}
        className="control"
      />
    </FieldWrapper>
  );
}

type SelectProps = CommonFieldProps & {
  options: readonly FieldOption[];
  defaultValue?: string;
  /** First option, with an empty value. */ prompt?: string;
  /**
   * React key of the select. React reads a select's default only once, so a new key makes it show the default again.
   * The field's value if omitted.
   */
  defaultKey?: string;
  onChange?: () => void;
};

/** One of a list that is too long for radio buttons. */
export function SelectField({ options, prompt, defaultValue, defaultKey, onChange, ...props }: SelectProps) {
  const field = useFieldState(props, defaultValue);
  return (
    <FieldWrapper field={field}>
      <div className="relative">
        <select
          key={defaultKey ?? field.value}
          onChange={onChange}
          {...field.control}
          defaultValue={field.value ?? ""}
          className="control"
        >
          {prompt !== undefined && <option value="">{prompt}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        <IconWithoutScript
          of={chevronDownIcon}
          className="pointer-events-none absolute inset-y-0 end-3 my-auto text-muted"
        />
      </div>
    </FieldWrapper>
  );
}

type FileProps = CommonFieldProps & {
  /** File types that the picker offers: ".jpg,.png,application/pdf". */
  accept?: string;
  multiple?: boolean;
  /** Label of a button that replaces the browser's own, where the page lists the chosen files itself. */
  button?: string;
};

/**
 * A file input. Files can't be restored after a refused submit without script, so the hint should state the
 * limits.
 */
export function FileField({ accept, multiple, button, ...props }: FileProps) {
  const field = useFieldState(props);
  return (
    <FieldWrapper field={field}>
      <input
        {...field.control}
        type="file"
        accept={accept}
        multiple={multiple}
        className={button ? "peer sr-only" : "control"}
      />
      {button && (
        <label
          htmlFor={field.id}
          className={buildButtonClass(
            "secondary",
            "cursor-pointer justify-self-start peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent",
          )}
        >
          {button}
        </label>
      )}
    </FieldWrapper>
  );
}

type DateTimeProps = CommonFieldProps & {
  /** Time zone of the value: "UTC", "Europe/Lisbon"; null if the form has a field for it. */
  zone: string | null;
};

/** Date and time, in a zone named next to the label or chosen in a field of its own. */
export function DateTimeField({ zone, label, ...props }: DateTimeProps) {
  const field = useFieldState({ ...props, label: zone === null ? label : `${label} (${zone})` });
  return (
    <FieldWrapper field={field}>
      <input
        {...field.control}
        type="datetime-local"
        defaultValue={field.value}
        className="control sm:max-w-72"
      />
    </FieldWrapper>
  );
}

type CheckboxProps = Omit<CommonFieldProps, "markOptional"> & { value?: string; defaultChecked?: boolean };

/** A single checkbox. */
export function Checkbox({ value = "on", defaultChecked = false, ...props }: CheckboxProps) {
  const field = useFieldState({ ...props, markOptional: false });
  const checked = field.sent ? field.value === value : defaultChecked;
  return (
    <div className="grid gap-1">
      <FieldError field={field} />
      <Choice
        {...field.control}
        type="checkbox"
        value={value}
        defaultChecked={checked}
        label={props.label}
        hint={props.hint}
        hintId={`${field.id}-hint`}
      />
    </div>
  );
}

type GroupProps = CommonFieldProps & {
  options: readonly FieldOption[];
  /** Initial choice; several for checkboxes. */ defaultValue?: string | readonly string[];
  /** Name of the inputs, if it isn't that of the field: several with the same name in a form with files end in `[]`. */
  inputName?: string;
};

/** One of a few options. */
export function RadioGroup(props: GroupProps) {
  return <ChoiceGroup {...props} type="radio" />;
}

/** Any of a few options. The submitted values are joined by line breaks. */
export function CheckboxGroup(props: GroupProps) {
  return <ChoiceGroup {...props} type="checkbox" />;
}

function ChoiceGroup({
  options,
  defaultValue,
  inputName,
  type,
  ...props
}: GroupProps & { type: "radio" | "checkbox" }) {
  const field = useFieldState(props);
  const chosen = field.sent ? (field.value?.split("\n") ?? []) : [defaultValue ?? []].flat();
  return (
    <fieldset aria-describedby={field.control["aria-describedby"]} className="grid gap-1.5">
      <legend className="mb-1.5 font-[550]">
        {props.label}
        <OptionalMark field={field} />
      </legend>
      <FieldHint field={field} />
      <FieldError field={field} />
      <div className="grid gap-1">
        {options.map((option, at) => (
          <Choice
            key={option.value}
            id={at === 0 ? field.id : `${field.id}-${at}`}
            name={inputName ?? props.name}
            type={type}
            value={option.value}
            label={option.label}
            hint={option.hint}
            hintId={`${field.id}-${at}-about`}
            aria-describedby={option.hint && `${field.id}-${at}-about`}
            disabled={option.disabled}
            required={type === "radio" && props.required}
            defaultChecked={chosen.includes(option.value)}
            aria-invalid={field.control["aria-invalid"]}
          />
        ))}
      </div>
    </fieldset>
  );
}

type ChoiceProps = ComponentProps<"input"> & { label: string; hint?: ReactNode; hintId: string };

/** A checkbox or radio button with its label; the whole row is clickable. */
function Choice({ label, hint, hintId, id, ...input }: ChoiceProps) {
  return (
    <div className="flex min-h-11 items-start gap-3">
      <input {...input} id={id} className="mt-2.5 size-6 shrink-0" />
      <div className="min-w-0 grow">
        <label htmlFor={id} className="block py-2.5">
          {label}
        </label>
        {hint && (
          <div id={hintId} className="-mt-2 pb-2 text-sm text-muted">
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

/** Counts characters as the service does, from four fifths of the limit on. */
function useCharacterCounter(initial: string | undefined, limit: number | undefined) {
  const t = useTranslator("ui");
  const [length, setLength] = useState(countTyped(initial ?? ""));
  if (limit === undefined) return { text: undefined, onInput: undefined };
  const text = length < limit * 0.8 ? "" : t("charactersUsed", { count: length, max: limit });
  const onInput = (event: { currentTarget: { value: string } }) =>
    setLength(countTyped(event.currentTarget.value));
  return { text, onInput };
}

const countTyped = (text: string): number => countCharacters(normalizeTypedText(text));

function toText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
