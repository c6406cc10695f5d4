import { useEffect, useEffectEvent } from "react";

/** Listens to an event of the whole document. */
export function useDocumentEvent<Type extends keyof DocumentEventMap>(
  type: Type,
  listener: (event: DocumentEventMap[Type]) => void,
): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const controller = new AbortController();
    document.addEventListener(type, (event) => onEvent(event), { signal: controller.signal });
    return () => controller.abort();
  }, [type]);
}
