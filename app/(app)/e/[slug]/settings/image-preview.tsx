"use client";

import { type ChangeEvent, type ReactNode, useEffect, useState } from "react";

/** Wraps a picture field and previews the chosen file before it is sent. Without script, only the field. */
export function ImageFieldWithPreview({ alt, children }: { alt: string; children: ReactNode }) {
  const [source, setSource] = useState<string>();
  useEffect(() => () => void (source && URL.revokeObjectURL(source)), [source]);

  function showPreview({ target }: ChangeEvent<HTMLElement>) {
    const file = target instanceof HTMLInputElement ? target.files?.[0] : undefined;
    setSource(file?.type.startsWith("image/") ? URL.createObjectURL(file) : undefined);
  }

  return (
    <div className="grid gap-3" onChange={showPreview}>
      {children}
      {source && (
        <img
          src={source}
          alt={alt}
          className="max-h-32 max-w-full justify-self-start rounded-control border border-dashed border-edge object-contain p-2"
        />
      )}
    </div>
  );
}
