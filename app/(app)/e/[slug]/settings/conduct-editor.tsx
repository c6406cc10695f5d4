"use client";

import { type FormEvent, startTransition, useEffect, useRef, useState } from "react";
import { TextArea } from "#components/ui/field.tsx";
import { SubmitButton } from "#components/ui/form.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { UserHtml } from "#components/ui/user-html.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { INITIAL_FORM_STATE } from "#lib/design/form-state.ts";
import { previewConductAction } from "./actions.ts";

type Props = {
  text: string;
  /** The saved text, rendered as on the public page. */
  html: string;
  maxLength: number;
  labels: { label: string; hint: string; preview: string; asReaders: string; nothing: string };
};

/** The code of conduct with a live preview; without script, a button shows the preview. */
export function ConductEditor({ text, html, maxLength, labels }: Props) {
  const { state } = useFormContext();
  const scripted = useHydrated();
  const { live, follow } = useLivePreview();
  const shownHtml = live ?? state.preview ?? html;
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <div className="grid gap-3" onInput={follow}>
        <TextArea
          name="codeOfConduct"
          label={labels.label}
          hint={labels.hint}
          defaultValue={text}
          maxLength={maxLength}
          rows={14}
          count
        />
        {!scripted && (
          <div>
            <SubmitButton variant="secondary" name="step" value="preview">
              {labels.preview}
            </SubmitButton>
          </div>
        )}
      </div>
      <section aria-label={labels.asReaders} className="grid gap-1.5">
        <h3 className="text-base font-[550]">{labels.asReaders}</h3>
        <div className="min-h-30 rounded-control border border-line bg-paper p-4">
          {shownHtml.trim() === "" ? (
            <p className="text-muted">{labels.nothing}</p>
          ) : (
            <UserHtml html={shownHtml} />
          )}
        </div>
      </section>
    </div>
  );
}

const PREVIEW_DELAY_MS = 400;

/**
 * Requests the preview from the server, which renders the public page, shortly after the last keystroke;
 * drops outdated responses.
 */
function useLivePreview() {
  const [live, setLive] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastRequest = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);

  function follow(event: FormEvent<HTMLElement>) {
    const form = event.currentTarget.closest("form");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => form && loadPreview(new FormData(form)), PREVIEW_DELAY_MS);
  }

  function loadPreview(form: FormData) {
    const request = (lastRequest.current += 1);
    startTransition(async () => {
      const { preview } = await previewConductAction(INITIAL_FORM_STATE, form).catch(
        () => INITIAL_FORM_STATE,
      );
      if (request === lastRequest.current && preview !== undefined) setLive(preview);
    });
  }

  return { live, follow };
}
