package event

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/matrix"
	"github.com/dpverify/dpverify/internal/decimal"
)

var participationFields = []string{"times", "separation", "every"}

// number returns the numeric field with a key. times, separation and every are fields of Participation. The result is
// not valid if the field does not exist.
func (d *Description) number(key string) reflect.Value {
	v := reflect.ValueOf(d).Elem()
	if slices.Contains(participationFields, key) {
		if d.Participation == nil {
			return reflect.Value{}
		}
		v = reflect.ValueOf(d.Participation).Elem()
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != key {
			continue
		}
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if k := kind.Kind(); k == reflect.Float64 || k == reflect.Int64 || k == reflect.Int {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// Uses reports whether the mechanism uses a number with this key.
func (d Description) Uses(key string) bool {
	if slices.Contains(participationFields, key) {
		return d.Mechanism == "matrix" && d.SamplingRate == nil
	}
	return slices.Contains(uses(d.Mechanism, d.Sampling), key) && d.number(key).IsValid()
}

// Has reports whether the number with this key is set.
func (d Description) Has(key string) bool {
	v := d.number(key)
	return v.IsValid() && !v.IsZero()
}

// Whole reports whether the number with this key must be an integer.
func (d Description) Whole(key string) bool {
	if slices.Contains(participationFields, key) {
		return true
	}
	v := d.number(key)
	if !v.IsValid() {
		return false
	}
	kind := v.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	return kind.Kind() != reflect.Float64
}

// With returns the description with another value of a number. It returns an error that wraps ErrDomain if the value is
// outside the domain.
func (d Description) With(key string, x float64) (Description, error) {
	if slices.Contains(participationFields, key) {
		var p matrix.Participation
		if d.Participation != nil {
			p = *d.Participation
		}
		d.Participation = &p
	}
	v := d.number(key)
	if !v.IsValid() {
		return d, DomainError("%s has no number %s", d.Mechanism, key)
	}
	for _, domain := range domains {
		if slices.Contains(strings.Fields(domain.keys), key) && !(domain.valid(x) && !math.IsInf(x, 0)) {
			return d, DomainError("%s is %v: want %s", key, x, domain.want)
		}
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem())) // do not change the original description
		v = v.Elem()
	}
	if v.Kind() == reflect.Float64 {
		v.SetFloat(x)
		return d, nil
	}
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return d, DomainError("%s is %v: want a whole number of at most 2^53", key, x)
	}
	v.SetInt(int64(x))
	return d, nil
}

// Places returns the places at which the number with a key is set, such as 2.sigma and 2.1.sigma. If it is not set
// anywhere, Places returns the places at which it can be set.
func (d Descriptions) Places(key string) []string {
	var required, may []string
	var visit func(prefix string, list []Description)
	visit = func(prefix string, list []Description) {
		for i, one := range list {
			path := fmt.Sprintf("%s%d.", prefix, i+1)
			if one.Uses(key) {
				if may = append(may, path+key); one.Has(key) {
					required = append(required, path+key)
				}
			}
			visit(path, one.Events)
		}
	}
	visit("", d.Events)
	if len(required) > 0 {
		return required
	}
	return may
}

// At returns the description at a place, and the key.
func (d Descriptions) At(place string) (one Description, key string, err error) {
	list := d.Events
	for {
		first, rest, more := strings.Cut(place, ".")
		if !more {
			return one, place, nil
		}
		i, err := decimal.Count(first)
		if err != nil || i < 1 || i > len(list) {
			return one, "", DomainError("there is no event %s: %d are there", first, len(list))
		}
		one = list[i-1]
		list, place = one.Events, rest
	}
}

// With returns the descriptions with another value of the number at a place.
func (d Descriptions) With(place string, x float64) (Descriptions, error) {
	events, err := with(d.Events, place, x)
	return Descriptions{Events: events, Adjacency: d.Adjacency, Group: d.Group}, err
}

func with(list []Description, place string, x float64) ([]Description, error) {
	first, rest, _ := strings.Cut(place, ".")
	i, err := decimal.Count(first)
	if err != nil || i < 1 || i > len(list) {
		return nil, DomainError("there is no event %s: %d are there", first, len(list))
	}
	list = slices.Clone(list)
	if one := &list[i-1]; strings.Contains(rest, ".") {
		one.Events, err = with(one.Events, rest, x)
	} else {
		*one, err = one.With(rest, x)
	}
	return list, err
}
