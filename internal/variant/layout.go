package variant

import "strings"

// Layouts gives n builds of a variant: built, and others with their code moved
// on by one step more each. Of a second copy they are second copies.
func (b *Builder) Layouts(built *Built, n int) ([]*Built, error) {
	builds := []*Built{built}
	if n < 2 {
		return builds, nil
	}
	name, _ := Original(built.Variant.Name)
	var moved []Variant
	for i := 1; i < n; i++ {
		v := built.Variant
		v.Name = name
		v.Layout += i
		moved = append(moved, v)
	}
	more, err := b.Build(moved...)
	if err != nil {
		return nil, err
	}
	for _, m := range more {
		if strings.HasSuffix(built.Dir, CopySuffix) {
			if m, err = b.Copy(m); err != nil {
				return nil, err
			}
		}
		m.Variant.Name = built.Variant.Name
		builds = append(builds, m)
	}
	return builds, nil
}
