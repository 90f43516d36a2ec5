// Whether the window is too narrow for a drawing.
import { useEffect, useState } from "preact/hooks";

const query = matchMedia("(max-width: 860px)");

export function useNarrow() {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const hear = () => setNarrow(query.matches);
    query.addEventListener("change", hear);
    return () => query.removeEventListener("change", hear);
  }, []);
  return narrow;
}
