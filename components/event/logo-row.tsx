/**
 * The logo of an event or organization, in a row of its own whose height is reserved: its width isn't known before it
 * arrives, and nothing may move then.
 */
export function LogoRow({ src, alt = "" }: { src: string; alt?: string }) {
  return (
    <div className="h-12 sm:h-16">
      <img
        src={src}
        alt={alt}
        className="h-full max-w-full rounded-control object-contain object-left rtl:object-right"
      />
    </div>
  );
}
