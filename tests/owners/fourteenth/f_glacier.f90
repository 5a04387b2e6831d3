! Moves the ice of a glacier down a valley: a bed, thickness on a grid, snow and melt by height, the length of its tongue, and cores.
module ice
    implicit none
    integer, parameter :: dp = kind(1.0d0)

    type :: core
        integer :: year = 0, layers = 0
        real(dp) :: place = 0
        real(dp), allocatable :: age(:), density(:)
    end type core

    type :: archive
        integer :: count = 0
        type(core), allocatable :: cores(:)
    end type archive

    type, abstract :: climate
        real(dp) :: mean = 0
    contains
        procedure(balance_at), deferred :: balance
    end type climate

    abstract interface
        real(dp) function balance_at(self, height, year)
            import :: climate, dp
            class(climate), intent(in) :: self
            real(dp), intent(in) :: height
            integer, intent(in) :: year
        end function balance_at
    end interface

    type, extends(climate) :: warming
        real(dp) :: rate = 0.002_dp
    contains
        procedure :: balance => warming_balance
    end type warming

contains

    real(dp) function warming_balance(self, height, year)
        class(warming), intent(in) :: self
        real(dp), intent(in) :: height
        integer, intent(in) :: year
        warming_balance = min(1.5_dp, 0.006_dp * (height - self%mean - self%rate * 150 * year))
    end function warming_balance

    subroutine make_bed(bed)
        real(dp), intent(out) :: bed(:)
        integer :: i
        do i = 1, size(bed)
            bed(i) = 3600 - 9.0_dp * i + 60 * sin(i * 0.2_dp)
        end do
    end subroutine make_bed

    subroutine flow(bed, thickness, step)
        real(dp), intent(in) :: bed(:), step
        real(dp), intent(inout) :: thickness(:)
        real(dp), allocatable :: flux(:)
        real(dp) :: slope, mean
        integer :: i
        allocate (flux(0:size(bed)))
        flux = 0
        do i = 1, size(bed) - 1
            slope = (bed(i) + thickness(i) - bed(i + 1) - thickness(i + 1)) / 50
            mean = (thickness(i) + thickness(i + 1)) / 2
            flux(i) = sign(min(1.0e-10_dp * mean**5 * abs(slope)**3, 10.0_dp * mean), slope)
        end do
        do i = 1, size(bed)
            thickness(i) = max(0.0_dp, thickness(i) + step * (flux(i - 1) - flux(i)) / 50)
        end do
    end subroutine flow

    ! The layers at a place, from the bed to the surface.
    function drill(thickness, place, year) result(drilled)
        real(dp), intent(in) :: thickness
        integer, intent(in) :: place, year
        type(core) :: drilled
        integer :: k
        drilled%year = year
        drilled%place = place * 50.0_dp
        drilled%layers = 20 + int(thickness * 2)
        allocate (drilled%age(drilled%layers), drilled%density(drilled%layers))
        do k = 1, drilled%layers
            drilled%age(k) = year - drilled%layers * log(1 + real(drilled%layers - k, dp))
            drilled%density(k) = 917 - 550 * exp(-0.02_dp * (drilled%layers - k))
        end do
    end function drill

    subroutine keep(all, drilled)
        type(archive), intent(inout) :: all
        type(core), intent(in) :: drilled
        type(core), allocatable :: more(:)
        integer :: i
        if (.not. allocated(all%cores)) allocate (all%cores(64))
        if (all%count == size(all%cores)) then
            allocate (more(2 * all%count))
            do i = 1, all%count
                more(i)%year = all%cores(i)%year
                more(i)%layers = all%cores(i)%layers
                more(i)%place = all%cores(i)%place
                call move_alloc(all%cores(i)%age, more(i)%age)
                call move_alloc(all%cores(i)%density, more(i)%density)
            end do
            call move_alloc(more, all%cores)
        end if
        all%count = all%count + 1
        all%cores(all%count) = drilled ! guilty
    end subroutine keep

    real(dp) function mean_density(all, last)
        type(archive), intent(in) :: all
        integer, intent(in) :: last
        integer :: i
        mean_density = 0
        do i = max(1, all%count - last + 1), all%count
            mean_density = mean_density + sum(all%cores(i)%density) / all%cores(i)%layers / min(last, all%count)
        end do
    end function mean_density

    integer function tongue(thickness)
        real(dp), intent(in) :: thickness(:)
        tongue = findloc(thickness > 1, .true., dim=1, back=.true.)
    end function tongue
end module ice

program glacier
    use ice
    implicit none
    integer, parameter :: cells = 200, years = 260
    real(dp) :: bed(cells), thickness(cells), density
    type(archive) :: cores
    type(warming) :: weather
    integer :: year, part, i, longest

    call make_bed(bed)
    thickness = 40
    weather%mean = 2900
    longest = 0
    do year = 1, years
        do part = 1, 400
            call flow(bed, thickness, 0.0025_dp)
        end do
        do i = 1, cells
            thickness(i) = max(0.0_dp, thickness(i) + weather%balance(bed(i) + thickness(i), year))
        end do
        longest = max(longest, tongue(thickness))
        do i = 2, cells, 4
            if (thickness(i) > 5) call keep(cores, drill(thickness(i), i, year))
        end do
        if (mod(year, 10) == 0) density = mean_density(cores, 30)
    end do
    print '(a, i0, a, f7.1, a)', 'cores: ', cores%count, ', density of the last ', density, ' kg/m3'
    print '(a, f7.2, a, f7.2, a)', 'longest: ', longest * 0.05, ' km, now: ', tongue(thickness) * 0.05, ' km'
end program glacier
