import { useEffect, useRef } from "react";
import type { FormState } from "#lib/design/form-state.ts";
import { Notice } from "./notice.tsx";

/**
 * The message of a form that was accepted; renders nothing without one. It comes into view, since the button of a long
 * form is far below it.
 */
export function FormSuccess({ state }: { state: FormState }) {
  const notice = useRef<HTMLDivElement>(null);
  // In braces, since newer browsers return a promise, which React would take for a cleanup.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: "nearest" });
  }, [state]);
  if (!state.ok || !state.message) return null;
  return (
    <div ref={notice} className="scroll-my-24">
      <Notice kind="success" live>
        <p>{state.message}</p>
      </Notice>
    </div>
  );
}
